#!/bin/sh
# Make the lock files anew from pyproject.toml: universal, with markers and hashes (needs uv). The bundle's has the same
# versions without the tools of development, with the headless OpenCV in place of the other.
set -eu
cd "$(dirname "$0")/.."
lock() { uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet "$@"; }

lock --group dev pyproject.toml -o packaging/requirements.lock "$@"
without=$(mktemp)
trap 'rm -f "$without"' EXIT
echo "opencv-python ; python_version < '3'" > "$without"
lock -c packaging/requirements.lock --override "$without" pyproject.toml packaging/bundle/requirements.in \
    -o packaging/bundle/requirements.lock "$@"
