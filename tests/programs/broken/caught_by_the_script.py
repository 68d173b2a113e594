"""The script catches the exception itself; it behaves as before, and the finding is in the report.

expect: LG101 exit=0 fixed
"""

import torch
import torch.nn.functional as F

try:
    F.cross_entropy(torch.randn(3, 5), torch.tensor([1.0, 2.0, 3.0]))  # here
except RuntimeError as error:
    print("caught:", error)
