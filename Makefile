# Needs make and python3. Everything else is set up in .venv at first use, and again when uv.lock changes.
SHELL := /bin/bash
PYTHON := .venv/bin/python
WORKERS ?= 2

# Compiled modules are kept: without them every start costs seconds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test check bench demo setup
.DEFAULT_GOAL := help

help:
	@echo "make run    serve the hub (HUB_DATA_DIR, HUB_HOST, HUB_PORT; see README.md)"
	@echo "make demo   fill a running hub with a week of two agents' work"
	@echo "make test   run the tests, on SQLite or on the PostgreSQL server DATABASE_URL names"
	@echo "make check  lint, types, import contracts, migrations"
	@echo "make bench  measure the hub beside a bare endpoint and a raw database loop"

.venv/.ready-run: pyproject.toml uv.lock scripts/setup
	@scripts/setup --no-dev --inexact
	@touch $@

.venv/.ready-dev: pyproject.toml uv.lock scripts/setup
	@scripts/setup
	@touch $@ .venv/.ready-run

.venv/.ready-tantivy: pyproject.toml uv.lock scripts/setup
	@scripts/setup --no-dev --inexact --extra tantivy
	@touch $@ .venv/.ready-run

setup: .venv/.ready-dev

# With the package of the retrieval plane that is configured, if one is.
run: .venv/.ready-run $(if $(filter tantivy,$(HUB_RETRIEVAL_PLANE)),.venv/.ready-tantivy)
	@exec $(PYTHON) manage.py serve

demo: .venv/.ready-run
	@$(PYTHON) manage.py demo

test: .venv/.ready-dev
	$(PYTHON) -m pytest -n $(WORKERS) $(ARGS)

check: export HUB_DATA_DIR := $(or $(TMPDIR),/tmp)/muster-check
check: .venv/.ready-dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	$(PYTHON) manage.py makemigrations --check --dry-run

bench: .venv/.ready-dev
	$(PYTHON) -m benchmarks
