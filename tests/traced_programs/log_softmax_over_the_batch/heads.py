from torch import nn


class Head(nn.Module):
    """Linear classifier with an output activation chosen by name."""

    OUTPUTS = {
        "logits": nn.Identity,
        "probs": lambda: nn.Softmax(dim=-1),
        "log_probs": lambda: nn.LogSoftmax(dim=0),  # guilty
    }

    def __init__(self, in_features, n_out, output):
        super().__init__()
        self.fc = nn.Linear(in_features, n_out)
        self.activation = self.OUTPUTS[output]()

    def forward(self, features):
        return self.activation(self.fc(features))
