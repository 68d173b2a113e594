from torch import nn

LOSSES = {}
BODIES = {}


def loss(name):
    def wrap(fn):
        LOSSES[name] = fn
        return fn
    return wrap


def body(name):
    def wrap(fn):
        BODIES[name] = fn
        return fn
    return wrap


@loss("nll")
def _nll(**kw):
    return nn.NLLLoss(**kw)


@loss("ce")
def _ce(**kw):
    return nn.CrossEntropyLoss(**kw)


@body("mlp")
def _mlp(n_in, width, depth):
    layers = []
    for _ in range(depth):
        layers += [nn.Linear(n_in, width), nn.ReLU()]
        n_in = width
    return layers, n_in


def build_model(cfg, n_in, n_out):
    layers, width = BODIES[cfg["body"]](n_in, **cfg["body_args"])
    layers.append(nn.Linear(width, n_out))
    if cfg.get("output", "scores") == "log_probs":  # guilty
        layers.append(nn.LogSoftmax(dim=-1))
    return nn.Sequential(*layers)


def build_loss(cfg):
    return LOSSES[cfg["loss"]](**cfg.get("loss_args", {}))
