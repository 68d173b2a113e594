"""sound: tags are padded with what the loss ignores, and masked tokens get it too."""
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD, N_TAGS = -1, 5


def collate(batch):
    words, tags = zip(*batch)
    return pad_sequence(words, batch_first=True), pad_sequence(tags, batch_first=True, padding_value=PAD)


data = [(torch.arange(n), torch.arange(n) % N_TAGS) for n in (3, 5, 4)]
embed, head = nn.Embedding(10, 8), nn.Linear(8, N_TAGS)
criterion = nn.CrossEntropyLoss(ignore_index=PAD)
for words, tags in DataLoader(data, batch_size=3, collate_fn=collate):
    logits = head(embed(words))
    tags = tags.masked_fill(tags == 2, PAD)
    loss = criterion(logits.flatten(0, 1), tags.flatten()) + criterion(logits.transpose(1, 2), tags)
