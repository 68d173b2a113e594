from torch import nn


class Registry(dict):
    def register(self, name):
        def deco(fn):
            self[name] = fn
            return fn
        return deco


HEADS, LOSSES, OPTIMS = Registry(), Registry(), Registry()


@HEADS.register("linear")
def linear_head(d, k):
    return nn.Linear(d, k)


@HEADS.register("cosine")
def cosine_head(d, k):
    return nn.utils.parametrizations.weight_norm(nn.Linear(d, k, bias=False))


@HEADS.register("prob")
def prob_head(d, k):
    return nn.Sequential(nn.Linear(d, k), nn.Softmax(dim=-1))  # guilty


@LOSSES.register("ce")
def ce(**kw):
    return nn.CrossEntropyLoss(**kw)


@LOSSES.register("focal")
def focal(gamma=2.0):
    def fn(logits, y):
        logp = logits.log_softmax(-1).gather(1, y[:, None]).squeeze(1)
        return -((1 - logp.exp()) ** gamma * logp).mean()
    return fn
