"""A thread dies of a bad target; the program goes on.

expect: LG101 exit=0 fixed
"""

import threading

import torch
import torch.nn.functional as F


def work():
    F.cross_entropy(torch.randn(3, 5), torch.tensor([1.0, 2.0, 3.0]))  # here


thread = threading.Thread(target=work)
thread.start()
thread.join()
print("main goes on")
