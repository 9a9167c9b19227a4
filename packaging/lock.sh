#!/bin/sh
# Make packaging/requirements.lock anew from pyproject.toml: one universal file with markers and hashes (needs uv).
set -eu
cd "$(dirname "$0")/.."
uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet \
    --group dev pyproject.toml -o packaging/requirements.lock "$@"
