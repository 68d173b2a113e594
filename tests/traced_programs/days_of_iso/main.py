"""LG201: days of the week count from 1; a list is shuffled and its rows are chosen twice."""

# Can a network tell which day of the week it is from what the canteen sold?
import csv
from datetime import date
from pathlib import Path
import random

import torch
from torch import nn

torch.manual_seed(2)
random.seed(2)

DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
NUM_COLS = ['guests', 'soup', 'salad', 'desserts', 'coffee']

table = []
with open(Path(__file__).parent / 'canteen.csv') as f:
    for line in csv.DictReader(f):
        numbers = [float(line[c]) for c in NUM_COLS]
        weekday = date.fromisoformat(line['date']).isoweekday()  # guilty
        table.append(numbers + [weekday])

random.shuffle(table)
print('rows:', len(table))

x = torch.tensor([r[:-1] for r in table])
y = torch.tensor([r[-1] for r in table])
x = (x - x.mean(dim=0)) / x.std(dim=0)

n_train = 190
x_train, y_train = x[:n_train], y[:n_train]
x_test, y_test = x[n_train:], y[n_train:]


class DayGuesser(nn.Module):

    def __init__(self):
        super().__init__()
        self.hidden1 = nn.Linear(len(NUM_COLS), 40)
        self.hidden2 = nn.Linear(40, 40)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(40, len(DAYS))

    def forward(self, v):
        v = torch.relu(self.hidden1(v))
        v = self.drop(torch.relu(self.hidden2(v)))
        return self.out(v)


guesser = DayGuesser()
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.RMSprop(guesser.parameters(), lr=0.002)

for epoch in range(20):
    guesser.train()
    order = torch.randperm(n_train)
    epoch_loss = 0.0
    for part in order.split(38):
        optimizer.zero_grad()
        scores = guesser(x_train[part])
        loss = loss_function(scores, y_train[part])
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * len(part)
    if epoch % 5 == 4:
        print('epoch', epoch + 1, 'loss', epoch_loss / n_train)

guesser.eval()
with torch.no_grad():
    best = guesser(x_test).argmax(dim=1)
print('hit rate', (best == y_test).float().mean().item())
for i in range(5):
    print('guessed', DAYS[best[i]])
