# Short verbs. The first one that runs makes a virtual environment from requirements.lock; all others reuse it.
.DEFAULT_GOAL := help
.PHONY: help demo run test unit cover reach mutants package image release check fmt docs lexicon screenshots bench faults fresh lock clean
SHELL := /bin/sh

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
WORKERS ?= 2
# Where it is set, every run compiles every test anew: ten seconds on each worker.
unexport PYTHONDONTWRITEBYTECODE
HANG_AFTER ?= 900  # seconds; a test that takes longer fails and shows where it stands (slow machines: make it more)

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY) ## watch a small local site whose pages change, and see what is found
	@$(BIN)/driftline demo $(ARGS)

run: $(READY) ## the worker: checks what is due until it is stopped
	@$(BIN)/driftline run $(ARGS)

test: $(READY) ## every test; says at the end what it missed on this machine
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --timeout $(HANG_AFTER) $(ARGS)

unit: $(READY) ## the unit tests alone: what to run while you work
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --timeout $(HANG_AFTER) -q tests/unit $(ARGS)

cover: $(READY) ## every test, and which lines of src no test reaches; fails below 90%
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --timeout $(HANG_AFTER) -q \
	    --cov=driftline --cov-report=term:skip-covered --cov-fail-under=90 $(ARGS)

reach: $(READY) ## write down which tests reach which lines of src, for `make mutants` (long; once in a while)
	@rm -f .reach .reach.*
	@COVERAGE_FILE=.reach $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --timeout $(HANG_AFTER) -q \
	    --cov=driftline --cov-context=test --cov-report= tests/unit tests/contract tests/integration tests/attacks tests/browser $(ARGS)

mutants: $(READY) ## put random mistakes into src and see which no test notices (ARGS="--count 20 --seed 1 --for 600")
	@$(BIN)/python -m tests.mutants $(ARGS)

package: $(READY) ## build sdist and wheel into dist, check them, try the wheel in a fresh environment (PYTHONS="python3.11 ...")
	@.ci/package $(PYTHONS)

image: ## build the Dockerfile without a Docker engine and try the image (as root; needs buildah and mmdebstrap)
	@.ci/image

release: check test package ## everything that a release has to pass; then tags the version that src/driftline/__init__.py has
	@test -z "$$(git status --porcelain)" || { echo "commit first"; exit 1; }
	@git tag --annotate "v$$($(BIN)/python -c 'import driftline; print(driftline.__version__)')" --message "Release"

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

lexicon: $(READY) ## write src/driftline/core/lexicon/table.py anew from the words beside it, one TOML file a language
	@$(BIN)/python -m tests.lexicon

screenshots: $(READY) ## take the pictures in docs/pictures anew, in a real browser
	@$(BIN)/python -m tests.browser.pictures

bench: $(READY) ## measure on real pages (REAL=folder) and against the floors, with PEERS=1 also others; writes docs/performance.md
	@PEERS=$(PEERS) REAL=$(REAL) HELD_OUT=$(HELD_OUT) $(BIN)/python -m bench.real
	@PEERS=$(PEERS) $(BIN)/python -m bench $(ARGS)
	@for part in deliveries feeds agent web; do $(BIN)/python -m bench.$$part || exit 1; done

faults: $(READY) ## the whole fault suite: kills, restarts, lost replies (long)
	@DRIFTLINE_TEST_FAULTS=whole $(BIN)/python -m pytest tests/faults $(ARGS)

fresh: ## demo and tests on a minimal Debian of their own (long; as root; ROWS="demo test" for some)
	@.ci/fresh $(ROWS)

lock: $(READY) ## take newer versions into requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --upgrade --all-extras --group dev --universal --generate-hashes \
	    --no-annotate --no-header --quiet --python-version 3.11 -o requirements.lock

clean: ## throw away the virtual environment and everything built
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -type d -name __pycache__ -prune -exec rm -rf {} +

# .ci/venv writes the stamp last: an interrupted installation starts over, and a changed lock installs again.
$(READY): requirements.lock .ci/venv
	@sh .ci/venv $(VENV)
