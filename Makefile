# The entry point for all work on the code. Every target works from a fresh clone.

VENV   := .venv
PY     := $(VENV)/bin/python
READY  := $(VENV)/.ready
PYTHON ?= python3

# Folders with Python code. mypy rejects a folder that does not exist.
TYPED := $(wildcard src tests tools demo bench fuzz)

export PIP_DISABLE_PIP_VERSION_CHECK := 1
MAKEFLAGS += --no-print-directory
# Neighbours share fixtures, so each worker starts with a part of the tests; one that is done takes from the others.
PARALLEL := -n auto --dist worksteal
# Per dialect.
FUZZ_SECONDS ?= 600
# Rows of docs/promises.md; all of them if it is empty.
ONLY ?=
# How many simulations, and the first of them.
SEEDS ?= 10000
FROM ?= 0

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check warm bench torture simulate explore fuzz format docs walk screenshots clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(READY) ## see the bus at work
	@$(PY) demo/demo.py

test: $(READY) ## run the tests
	@sh tools/system-deps.sh
	@$(PY) -m pytest -q $(PARALLEL)

check: $(READY) ## everything that must pass before a commit
	@echo '== format'  && $(PY) -m ruff format --check --quiet . || { echo 'run: make format'; exit 1; }
	@echo '== lint'    && $(PY) -m ruff check --quiet .
	@echo '== types'   && $(PY) -m mypy --no-error-summary $(TYPED)
	@echo '== imports' && $(VENV)/bin/lint-imports --no-logo
	@echo '== docs'    && $(PY) tools/docs.py --check
	@echo '== tests'   && $(MAKE) test

warm: $(READY) ## run the tests of commands again, with a daemon at every bus
	@PALAVER_TESTS=warm $(PY) -m pytest -q $(PARALLEL) tests/cli

bench: $(READY) ## run the benchmarks and compare with the budgets
	@$(PY) bench/run.py

torture: $(READY) ## prove the promises at full size: kills, power cuts, full disks
	@sh tools/system-deps.sh
	@$(PY) -m tools.torture $(addprefix --only ,$(ONLY))

# Sets are iterated in the same order in every process, so that a seed repeats itself.
simulate: $(READY) ## simulate a company SEEDS times, from seed FROM on
	@PYTHONHASHSEED=0 $(PY) -m tests.simulation --seeds $(SEEDS) --from $(FROM)

explore: $(READY) ## run the property tests with new examples
	@sh tools/system-deps.sh
	@PALAVER_EXAMPLES=explore $(PY) -m pytest -q $(PARALLEL) -m '(hypothesis or random) and not torture'

fuzz: $(READY) ## fuzz each dialect for FUZZ_SECONDS
	@$(PY) fuzz/dialect.py --seconds $(FUZZ_SECONDS)

format: $(READY) ## format the code and apply automatic fixes
	@$(PY) -m ruff format --quiet .
	@$(PY) -m ruff check --fix --quiet .

docs: $(READY) ## generate docs/reference/ from the code
	@$(PY) tools/docs.py

walk: $(READY) ## show how much code each data path runs through
	@$(PY) tools/walk.py

screenshots: $(READY) ## take the screenshots of the documents again
	@sh tools/system-deps.sh
	@$(PY) tools/screenshots.py

clean: ## remove everything that make created
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find src tests tools demo bench fuzz -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# The virtual environment. It is updated only when pyproject.toml changes, or a script, of which it has a copy.
$(READY): pyproject.toml $(wildcard scripts/*)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Palaver needs Python 3.11 or newer; try: make PYTHON=python3.11'; exit 1; }
	@if command -v uv >/dev/null 2>&1; then \
	  echo 'making $(VENV) with uv'; \
	  uv venv --quiet --allow-existing --python '$(PYTHON)' $(VENV) \
	  && uv pip install --quiet --compile-bytecode --python $(PY) -e '.[dev]'; \
	else \
	  echo 'making $(VENV) with pip (a minute)'; \
	  { $(PYTHON) -m venv $(VENV) || { echo 'no venv module; install it (Debian: python3-venv) or uv'; exit 1; }; } \
	  && $(PY) -m pip install -qq --upgrade pip \
	  && $(PY) -m pip install -qq -e '.[dev]'; \
	fi
	@touch $@
