# Short verbs. The first one that runs makes a virtual environment from requirements.lock; all others reuse it.
.DEFAULT_GOAL := help
.PHONY: help demo run test check fmt docs screenshots bench faults lock clean
SHELL := /bin/sh

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
WORKERS ?= 2

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY) ## watch a small local site whose pages change, and see what is found
	@$(BIN)/driftline demo $(ARGS)

run: $(READY) ## the worker: checks what is due until it is stopped
	@$(BIN)/driftline run $(ARGS)

test: $(READY) ## every test; finds or starts PostgreSQL and RabbitMQ
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(ARGS)

check: $(READY) ## lint, format, types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

fmt: $(READY) ## put the code into shape
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

docs: $(READY) ## write docs/commands.md, docs/settings.md and docs/openapi.json anew from the code
	@$(BIN)/python -m tests.reference
	@$(BIN)/driftline openapi > docs/openapi.json.new && mv docs/openapi.json.new docs/openapi.json

screenshots: $(READY) ## take the pictures in docs/pictures anew, in a real browser
	@$(BIN)/python -m tests.browser.pictures

bench: $(READY) ## measure against the floors, and with PEERS=1 against others; writes docs/performance.md
	@PEERS=$(PEERS) $(BIN)/python -m bench $(ARGS)
	@for part in pages deliveries feeds agent web; do $(BIN)/python -m bench.$$part || exit 1; done

faults: $(READY) ## the whole fault suite: kills, restarts, lost replies (long)
	@DRIFTLINE_TEST_FAULTS=whole $(BIN)/python -m pytest tests/faults $(ARGS)

lock: $(READY) ## take newer versions into requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --upgrade --all-extras --group dev --universal --generate-hashes \
	    --no-annotate --no-header --quiet --python-version 3.11 -o requirements.lock

clean: ## throw away the virtual environment and everything built
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

# The stamp is written last, so an interrupted installation starts over, and a changed lock installs again.
$(READY): requirements.lock
	@.ci/venv $(VENV)
	@touch $@
