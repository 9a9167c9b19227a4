# `make run` and `make test` do all the set-up themselves.
PYTHON ?= python3
BIN := .venv/bin
export PYTHON

.PHONY: setup run test lint types imports fuzz words lock clean

setup:
	@packaging/setup.sh

run: setup
	@$(BIN)/python -m ui demo

test: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

# A thousand damaged media files: the program must live, and say of each what is wrong with it.
fuzz: setup
	$(BIN)/python -m tests.bench.media_fuzz $(ARGS)

# Collect the texts of the program into the catalogues, and compile them.
words: setup
	$(BIN)/python packaging/words.py

# Make packaging/requirements.lock anew (needs uv).
lock:
	packaging/lock.sh --upgrade

clean:
	rm -rf .venv demo-output build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
