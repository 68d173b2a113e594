# Two commands for newcomers: `make demo` and `make test`. Each sets everything up by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
STAMP := $(VENV)/.installed

.PHONY: demo test lint bench wheel clean help

help:
	@echo "make demo   see lossguard judge good and bad targets"
	@echo "make test   lint, types, tests on the source and on the built wheel"
	@echo "make lint   ruff and mypy"
	@echo "make bench  what a check costs, as ratios measured side by side"

# torch first and exactly pinned: any other way of asking drags in the CUDA packages.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) "$$(grep '^torch==' constraints.txt)"
	$(PIP) --editable '.[dev]'
	@touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/python demo/demo.py

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal

bench: $(STAMP)
	$(BIN)/python bench/bench.py

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
