# Everything here sets itself up: `make demo` and `make test` need Python 3.11 or newer, pip, gcc and make.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.NOTPARALLEL:  # the parts share two cores, and the reader of their output one pair of eyes
MAKEFLAGS += --no-print-directory --no-builtin-rules

# The first Python that starts: a python3.11 in the PATH may be a shim with nothing behind it.
PYTHON ?= $(firstword $(foreach name,python3.11 python3,$(shell $(name) -c "print('$(name)')" 2>/dev/null)))
BIN := .venv/bin
READY := .venv/.ready
DOCS_READY := .venv/.docs-ready
# How many processes share the tests.
WORKERS ?= 2
PYTEST = $(BIN)/python -m pytest
PARALLEL = -n $(WORKERS) --dist loadfile
# Compiled kernels go into a folder named by the hash of their sources; tools/kernel_cache.py says why.
KERNELS = NUMBA_CACHE_DIR="$$($(BIN)/python tools/kernel_cache.py)"

# With bounds checks: whatever runs kernels. Without the compiler: small, as each step takes a hundred times longer.
BOUNDS_TESTS := tests/contracts tests/inference tests/scores tests/graphs tests/solvers
NO_JIT_TESTS := tests/primitives tests/graphs tests/scores tests/inference tests/losses

.PHONY: help setup demo test lint types architecture docs unit bounds no-jit coverage benchmark format clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*  ## ' $(MAKEFILE_LIST) | sed -E 's/:.*  ## /\t/' | expand -t 16

setup: $(READY)  ## a virtual environment in .venv with margrave in it, editable, and the tools

# Made once, and again when the dependencies or the version change.
$(READY): pyproject.toml src/margrave/_version.py
	@test -n "$(PYTHON)" || { echo "margrave needs Python 3.11 or newer, and found none" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit("margrave needs Python 3.11 or newer, got " + sys.version if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

# Made when the tools of the pages are installed, which only the pages need.
$(DOCS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@

demo: $(READY)  ## label photographs beside classifiers that know nothing of each other; two pictures in build/demo
	@$(KERNELS) $(BIN)/margrave demo --pictures build/demo

# In this order: what fails fast first; the whole suite last, so that its closing line is the last one printed.
test: lint types architecture docs no-jit bounds unit  ## everything that has to hold

lint: $(READY)  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)  ## mypy, strict
	$(BIN)/mypy

architecture: $(READY)  ## which package may import which
	$(BIN)/lint-imports

docs: $(DOCS_READY)  ## the documentation as a site in build/docs; a warning is an error
	rm -rf build/docs
	$(KERNELS) $(BIN)/python -m sphinx --builder html --nitpicky --fail-on-warning --keep-going --quiet --fresh-env --doctree-dir build/doctrees docs build/docs

unit: $(READY)  ## tests and doctests; the skipped ones must be the expected ones
	$(KERNELS) $(PYTEST) $(PARALLEL) --expected-skips

# Numba does not ask for bounds checks when it loads compiled code: only an empty folder makes it compile with them.
bounds: $(READY)  ## the tests that run kernels, with every index checked
	cache="$$(mktemp -d)"; trap 'rm -rf "$$cache"' EXIT; \
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$$cache" $(PYTEST) $(PARALLEL) $(BOUNDS_TESTS)

no-jit: $(READY)  ## a small set of tests with the kernels as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(PARALLEL) --hypothesis-profile=few $(NO_JIT_TESTS)

coverage: $(READY)  ## lines that the small set reaches, kernels included
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest --hypothesis-profile=few $(NO_JIT_TESTS)
	$(BIN)/coverage report

benchmark: $(READY)  ## every runner of benchmarks/, or only ARGS="name ..."
	$(KERNELS) $(BIN)/python -m benchmarks $(ARGS)

format: $(READY)  ## mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove the environment, compiled kernels and every other cache
	rm -rf .venv .cache .mypy_cache .ruff_cache .import_linter_cache .pytest_cache .hypothesis .coverage build dist
