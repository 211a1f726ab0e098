# The newcomer's door. `make` alone lists what can be done.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# The first Python on PATH that is new enough, else python3 (which then says what is wrong with it).
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$name; exit; fi; done; echo python3)
BIN := .venv/bin
ARGS ?=
WORKERS ?= 2

.PHONY: help
help:
	@echo "Stoa: a governed catalog of your databases, through GraphQL and REST."
	@echo ""
	@echo "  make setup      make the environment .venv and fetch the browser files"
	@echo "  make demo       run the whole thing on real data, then serve it (ARGS=--no-serve ends by itself)"
	@echo "  make serve      start the server (ARGS='--port 9000 --data ./here')"
	@echo "  make test       run the quick tier of the tests (ARGS='tests/engines -k sum')"
	@echo "  make test-all   run all tests (make test-long: those that the quick tier leaves out)"
	@echo "  make check      formatting, lint, types and the direction of imports"
	@echo "  make released   keep the graph as that of the release, from which changes are told breaking or not"
	@echo "  make snapshot   rewrite schema.graphql, the OpenAPI documents and docs/settings.md, docs/connectors.md"
	@echo "  make docs       build the guide from docs/, which the server then shows at /docs/guide"
	@echo "  make bench      measure speed against a plain baseline"
	@echo "  make quality    measure what is found and what questions get answered (ARGS='--errors --table FOLDER',"
	@echo "                  ARGS='--asking --databases FOLDER', ARGS='--steward --databases FOLDER', ARGS=--pii,"
	@echo "                  ARGS=--lineage, ARGS=--speed)"
	@echo "  make help       print this list"
	@echo ""
	@echo "For maintainers:"
	@echo "  make lock           choose package versions anew into requirements.lock and package-lock.json"
	@echo "  make browser-files  fetch the browser files again"
	@echo "  make clean          remove .venv, the fetched files and every cache of this checkout"

# Each step leaves a stamp, so that it runs once and again only when what it depends on has changed.
ENVIRONMENT := .venv/.ready
BROWSER_FILES := .cache/browser-files.ready

$(ENVIRONMENT): requirements.lock pyproject.toml .ci/setup
	@command -v $(PYTHON) >/dev/null || { echo "setup: there is no $(PYTHON) here. Install Python 3.11 or newer." >&2; exit 1; }
	@$(PYTHON) .ci/setup environment
	@touch $@

# Exit status 3 means that no registry could be reached: setup goes on and the next call tries again.
$(BROWSER_FILES): package.json package-lock.json .ci/setup | $(ENVIRONMENT)
	@mkdir -p .cache
	@$(BIN)/python .ci/setup browser-files && touch $@ || { code=$$?; [ $$code -eq 3 ] || exit $$code; }

.PHONY: setup
setup: $(ENVIRONMENT) $(BROWSER_FILES)
	@[ -d rest_compat/static/vendor ] || [ ! -f $(BROWSER_FILES) ] || $(MAKE) browser-files
	@echo "ready: .venv/bin/stoa"

.PHONY: browser-files
browser-files: $(ENVIRONMENT)
	@rm -f $(BROWSER_FILES)
	@$(MAKE) $(BROWSER_FILES)

.PHONY: demo
demo: setup
	@$(BIN)/stoa demo $(ARGS)

.PHONY: serve
serve: setup
	@$(BIN)/stoa serve $(ARGS)

# Compiling the tests takes longer than collecting them, so what was compiled is kept, whatever the environment says.
PYTEST := env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX="$(CURDIR)/.cache/bytecode" $(BIN)/python -m pytest

.PHONY: test test-long test-all
test: setup
	@$(PYTEST) -n $(WORKERS) --dist loadgroup -m "not long" $(ARGS)

test-long: setup
	@$(PYTEST) -n $(WORKERS) --dist loadgroup -m long $(ARGS)

test-all: setup
	@$(PYTEST) -n $(WORKERS) --dist loadgroup $(ARGS)

.PHONY: check
check: setup
	@status=0; \
	for tool in 'ruff format --check .' 'ruff check .' mypy 'lint-imports --no-logo'; do \
		echo "$$tool"; $(BIN)/$$tool || status=1; \
	done; \
	exit $$status

.PHONY: released
released: setup
	@$(BIN)/python -m schema.released

.PHONY: snapshot
snapshot: setup
	@$(BIN)/stoa snapshot $(ARGS)

# Built beside and then put in place, so that a running server never shows half of it. Every warning is a failure.
.PHONY: docs
docs: setup
	@rm -rf .cache/guide
	@$(BIN)/python -m sphinx -q -W --keep-going -d .cache/guide/read docs .cache/guide/built $(ARGS)
	@rm -rf rest_compat/guide && mv .cache/guide/built rest_compat/guide && rm -rf .cache/guide
	@echo "built: the server shows it at /docs/guide"

.PHONY: bench
bench: setup
	@$(BIN)/python -m benchmarks $(ARGS)

# Presidio is only needed beside personal data, which is measured when nothing else alone is asked for.
.PHONY: quality
quality: setup
	@case " $(ARGS) " in \
		*' --pii '*) ;; \
		*' --errors '*|*' --asking '*|*' --steward '*|*' --lineage '*|*' --speed '*|*' --calibrate '*) exit 0;; \
	esac; PYTHON=$(BIN)/python bash .ci/install-presidio || echo "quality: going on without Presidio beside." >&2
	@$(BIN)/python -m benchmarks.quality $(ARGS)

.PHONY: lock
lock: $(ENVIRONMENT)
	@[ -x .cache/uv/bin/uv ] || { $(PYTHON) -m venv .cache/uv && .cache/uv/bin/python -m pip install -q uv; }
	.cache/uv/bin/uv pip compile pyproject.toml --extra dev --universal --upgrade --generate-hashes --python-version 3.11 \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links --quiet --output-file requirements.lock
	npm install --package-lock-only --ignore-scripts --legacy-peer-deps --omit-lockfile-registry-resolved --no-audit --no-fund

.PHONY: clean
clean:
	rm -rf .venv .cache rest_compat/static/vendor rest_compat/guide build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
