EXPERIMENT = {
    "name": "wine-mlp-007",
    "model": {
        "body": "mlp",
        "body_args": {"width": 32, "depth": 2},
        "output": "logprobs",
    },
    "train": {
        "loss": "nll",
        "loss_args": {"reduction": "mean"},
        "lr": 0.005,
        "epochs": 8,
        "batch_size": 32,
    },
}
