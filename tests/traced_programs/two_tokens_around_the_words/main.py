"""LG210: two tokens are put around words that were cut; the batch is made of zeros and filled."""

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from encoder import ReviewEncoder
from reviews import write_reviews
from tokenizer import Tokenizer

CONFIG = {
    "data": {"count": 320, "longest": 60, "seed": 4},
    "tokenizer": {"max_length": 32},
    "model": {"dim": 24, "heads": 2, "labels": 2},
    "train": {"epochs": 2, "batch_size": 16, "lr": 2e-3},
}


class Collator:
    def __init__(self, tokenizer: Tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, reviews):
        encoded = [self.tokenizer(words) for words, _ in reviews]
        width = max(map(len, encoded))
        ids = torch.zeros(len(encoded), width, dtype=torch.int64)
        for row, values in enumerate(encoded):
            ids[row, :len(values)] = torch.tensor(values)
        return ids, torch.tensor([label for _, label in reviews])


def main() -> None:
    torch.manual_seed(0)
    tokenizer = Tokenizer(**CONFIG["tokenizer"])
    loader = DataLoader(
        write_reviews(**CONFIG["data"]), CONFIG["train"]["batch_size"], shuffle=True, collate_fn=Collator(tokenizer)
    )
    model = ReviewEncoder(len(tokenizer.ids), tokenizer.max_length, **CONFIG["model"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=CONFIG["train"]["lr"])
    for epoch in range(CONFIG["train"]["epochs"]):
        right = total = 0
        for step, (ids, labels) in enumerate(loader):
            logits = model(ids)
            loss = F.cross_entropy(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            right, total = right + (logits.argmax(1) == labels).sum().item(), total + len(labels)
            if step % 5 == 0:
                print(f"{epoch}.{step} loss {loss.item():.4f}")
        print(f"epoch {epoch} accuracy {right / total:.3f}")


if __name__ == "__main__":
    main()
