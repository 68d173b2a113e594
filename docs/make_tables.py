"""Print the table of losses by rule, made from the examples that the rules carry and the tests run."""

from __future__ import annotations

from lossguard.contracts.call import read_loss
from lossguard.contracts.loss import known_losses
from lossguard.rules.registry import all_rules

HEAD = """\
# Losses and rules

Every loss and index operation that lossguard knows, and the rules whose examples show it breaking. Each
example runs in the test suite against the installed torch. A rule without an example for a loss may still
speak of it: rules look at contracts, not at names. This page is made by `make docs`.

| loss or operation | module | rules with an example |
|---|---|---|"""


def main() -> None:
    """Print the page."""
    print(HEAD)
    shown: dict[str, set[str]] = {name: set() for name in known_losses()}
    for rule in all_rules():
        for example in rule.examples:
            if example.breaks:
                shown[read_loss(example.loss).name].add(rule.code)
    for name, loss in sorted(known_losses().items()):
        module = f"`nn.{loss.module}`" if loss.module else ""
        print(f"| `{loss.shown}` | {module} | {', '.join(sorted(shown[name])) or 'none'} |")


if __name__ == "__main__":
    main()
