class Scale:
    def __init__(self, max_value):
        self.max_value = max_value

    def __call__(self, x):
        return x / self.max_value


class Normalize:
    def __init__(self, mean, std):
        self.mean = mean
        self.std = std

    def __call__(self, x):
        return (x - self.mean) / self.std


class Flatten:
    def __call__(self, x):
        return x.flatten()


FACTORY = {"scale": Scale, "normalize": Normalize, "flatten": Flatten}


def build_pipeline(specs):
    steps = []
    for spec in specs:
        kwargs = {k: v for k, v in spec.items() if k != "name"}
        steps.append(FACTORY[spec["name"]](**kwargs))

    def apply(x):
        for step in steps:
            x = step(x)
        return x

    return apply
