"""sound: speakers count from 0, repeated as a whole and one by one."""
import numpy as np
import torch
from torch import nn

SPEAKERS, RECORDINGS = 6, 3
one_by_one = torch.arange(SPEAKERS).repeat_interleave(RECORDINGS)
as_a_whole = torch.arange(1, SPEAKERS + 1).repeat(RECORDINGS) - 1
in_numpy = torch.from_numpy(np.tile(np.arange(SPEAKERS), RECORDINGS))
voices = torch.randn(SPEAKERS, 8).repeat(RECORDINGS, 1)
logits = nn.Linear(8, SPEAKERS)(voices)
for speakers in (one_by_one, as_a_whole, in_numpy):
    nn.CrossEntropyLoss()(logits, speakers).backward(retain_graph=True)
