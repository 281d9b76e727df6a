# The project's verbs. Each makes the virtual environment it needs, and makes it anew when the dependencies changed.

PYTHON ?= python3
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
WHEEL := .cache/wheel
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
README := $(wildcard README.md)

.DEFAULT_GOAL := help
.PHONY: serve test wheel conformance check tools fix docs help

serve: $(VENV)/.serve  ## run the reference server (flags: make serve ARGS="--port 9000")
	@exec $(BIN)/goldfish $(ARGS)

test: check tools  ## everything that must hold: check, then the tests (flags: make test ARGS="-k headers")
	@$(BIN)/python -m pytest $(ARGS)

wheel: $(VENV)/.dev tools  ## the clients' tests again, against the built wheel in an environment of its own
	@rm -rf $(WHEEL) && $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(WHEEL) .
	@$(BIN)/python -m venv $(WHEEL)/venv
	@$(WHEEL)/venv/bin/python -m pip install --quiet --disable-pip-version-check "$$(echo $(WHEEL)/*.whl)[redis]"
	@SHIPPED_PYTHON=$(CURDIR)/$(WHEEL)/venv/bin/python $(BIN)/python -m pytest tests/clients tests/stdio tests/cases

conformance: $(VENV)/.dev tools  ## the official suite, counted (of another server: make conformance URL=http://127.0.0.1:9000/mcp)
	@$(BIN)/python -m tests.clients.conformance $(URL)

check: $(VENV)/.dev  ## what needs no server: lint, format and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

# What the tests drive beside Python. Without it, and outside CI, those tests are skipped and say how to get it.
tools: $(VENV)/.dev
	@$(BIN)/python -m tests.clients.node || true
	@command -v redis-server > /dev/null || command -v valkey-server > /dev/null || \
	    { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && \
	      apt-get update -qq > /dev/null && apt-get install -y -qq redis-server > /dev/null 2>&1; } || true

fix: $(VENV)/.dev  ## mend what the linter and the formatter can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: $(VENV)/.dev  ## write the generated documents anew
	@$(BIN)/python -m tests.support.requirements
	@$(if $(README),$(BIN)/python -m goldfish.everything.readme $(README))

help:  ## this text
	@awk -F '##' '/^[a-z]+:.*##/ { split($$1, name, ":"); printf "make %-11s %s\n", name[1], $$2 }' $(MAKEFILE_LIST)

$(VENV)/.dev: $(VENV)/.made pyproject.toml src/goldfish/version.py
	@$(PIP) --editable '.[dev]'
	@touch $(VENV)/.serve $@

$(VENV)/.serve: $(VENV)/.made pyproject.toml src/goldfish/version.py
	@$(PIP) --editable .
	@touch $@

$(VENV)/.made:
	@command -v $(PYTHON) > /dev/null || { \
	    echo "Goldfish needs Python 3.11 or newer, and there is no $(PYTHON) here: make $(MAKECMDGOALS) PYTHON=/path/to/python" >&2; \
	    exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "Goldfish needs Python 3.11 or newer, and $(PYTHON) is older: make $(MAKECMDGOALS) PYTHON=python3.11" >&2; \
	    exit 1; }
	@echo "making $(VENV) and installing: the first time takes up to a minute" >&2
	@$(PYTHON) -m venv $(VENV)
	@touch $@
