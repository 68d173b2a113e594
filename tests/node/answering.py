"""Questions to lossguard and its answers as JSON, the same under any Python: run here and in Pyodide."""

from __future__ import annotations

import json
import sys

from lossguard.cli.rules import page
from lossguard.explain.explaining import explain
from lossguard.integrations.browser import answer
from lossguard.lint.linting import Options, lint_text
from lossguard.lint.project import Project
from lossguard.rules.registry import all_rules


def answers(questions: str) -> str:
    """The answers to texts to explain, programs to lint by name, and texts for the box; and all rules."""
    asked = json.loads(questions)
    linted = {name: lint_text(name, code, Options(), Project()) for name, code in asked["lint"].items()}
    return json.dumps(
        {
            "explain": [json.loads(explain(text, source=False).to_json()) for text in asked["explain"]],
            "lint": {name: json.loads(outcome.report().to_json()) for name, outcome in linted.items()},
            "box": [json.loads(answer(text.encode())) for text in asked["box"]],
            "rules": [page(rule) for rule in all_rules()],
            "python": list(sys.version_info[:2]),
            "loaded": sorted({"torch", "numpy", "rich"} & sys.modules.keys()),
        }
    )
