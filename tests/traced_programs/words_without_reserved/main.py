"""LG210: a length leaves out the reserved words; sequences are taken by a tensor of one number."""

import argparse
from pathlib import Path

import torch
from torch.nn.utils.rnn import pad_sequence

from lm import RecipeLM
from vocabulary import Vocabulary


def batches(sequences: list[torch.Tensor], size: int):
    for rows in torch.randperm(len(sequences)).split(size):
        yield pad_sequence([sequences[i] for i in rows], batch_first=True, padding_value=Vocabulary.PAD)


@torch.no_grad()
def continue_line(model: RecipeLM, vocabulary: Vocabulary, start: str, steps: int) -> str:
    model.eval()
    ids = torch.tensor([vocabulary.encode(start)[:-1]])
    for _ in range(steps):
        following = model(ids)[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, following], dim=1)
    model.train()
    return vocabulary.decode(ids[0].tolist())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", type=Path, default=Path(__file__).parent / "recipes.txt")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch", type=int, default=7)
    parser.add_argument("--seed", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    lines = args.text.read_text().splitlines()
    vocabulary = Vocabulary(lines)
    sequences = [torch.tensor(vocabulary.encode(line)) for line in lines]
    model = RecipeLM(len(vocabulary))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(args.epochs):
        for ids in batches(sequences, args.batch):
            loss = model.loss(ids, Vocabulary.PAD)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.3f}")
    print(continue_line(model, vocabulary, "add the", 6))


if __name__ == "__main__":
    main()
