# `make run` and `make test` do all the set-up themselves.
PYTHON ?= python3
BIN := .venv/bin
export PYTHON

.PHONY: setup run test coverage lint types imports words docs shots fuzz soak bench bundle bundle-check lock clean

setup:
	@packaging/setup.sh

run: setup
	@$(BIN)/python -m ui demo

test: setup
	$(BIN)/python -m pytest -n 3 --dist loadgroup $(ARGS)

# The suite, and which lines of each package it runs.
coverage: setup
	$(BIN)/python -m pytest -n 3 --dist loadgroup --cov=studio --cov=ui --cov-report=term:skip-covered $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

# Write the reference pages in docs/ from the code.
docs: setup
	$(BIN)/python packaging/docs.py

# A picture of every workspace, in both themes, languages and pixel densities, and the one of the README.
shots: setup
	$(BIN)/python -m ui shots build/shots
	cp build/shots/compose-dark-en@1x.png docs/studio.png

# Every figure that the program must reach, beside its peer, written into the READMEs. A quarter of an hour on a quiet
# machine.
bench: setup
	$(BIN)/python -m tests.bench.run --write $(ARGS)

# Many renders while servers, wires, videos and the studio itself fail; then whether anything stays behind.
soak: setup
	$(BIN)/python -m tests.bench.soak $(ARGS)
	$(BIN)/python -m tests.bench.leaks

# A folder that runs without Python, dist/h3studio, and the wheel beside it.
bundle: setup
	packaging/bundle/build.sh

# Start it as a stranger would, and render the demo with it.
bundle-check: bundle
	$(BIN)/python packaging/bundle/check.py

# A thousand damaged media files: the program must live, and say of each what is wrong with it.
fuzz: setup
	$(BIN)/python -m tests.bench.media_fuzz $(ARGS)

# Collect the texts of the program into the catalogues, and compile them.
words: setup
	$(BIN)/python packaging/words.py

# Make the lock files of packaging/ anew (needs uv).
lock:
	packaging/lock.sh --upgrade

clean:
	rm -rf .venv demo-output build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
