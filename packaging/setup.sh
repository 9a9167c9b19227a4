#!/bin/sh
# Everything that a fresh machine needs, safe to run again: Debian packages (as root), a virtual environment in
# .venv, and the studio itself in it. Says plainly what is missing when it may not install it.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
stamp=.venv/.installed

wanted=$(sed 's/#.*//' packaging/debian-packages.txt)
missing=
if command -v dpkg-query >/dev/null 2>&1; then
    for package in $wanted; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
fi
if [ -n "$missing" ]; then
    if [ "$(id -u)" = 0 ]; then
        echo "Installing Debian packages:$missing"
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
    else
        echo "These Debian packages are missing; some things may not work until they are there:"
        echo "    sudo apt-get install$missing"
    fi
fi

command -v "$python" >/dev/null 2>&1 || { echo "Python is missing: install Python 3.11, 3.12 or 3.13." >&2; exit 1; }
"$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || {
    echo "Python 3.11, 3.12 or 3.13 is needed; $("$python" --version) is here. Name another: make PYTHON=python3.12 …" >&2
    exit 1
}

key=$(cat packaging/requirements.lock packaging/setup.sh | cksum)" $("$python" -c 'import sys; print(sys.version)' | head -n 1) $(pwd)"
if [ -x .venv/bin/h3studio ] && [ "$(cat $stamp 2>/dev/null || true)" = "$key" ]; then exit 0; fi

echo "Setting up .venv (once; about a gigabyte)"
"$python" -m venv --clear .venv || { echo "The venv module is missing: install python3-venv." >&2; exit 1; }
.venv/bin/python -m pip install --disable-pip-version-check --quiet --require-hashes -r packaging/requirements.lock
.venv/bin/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation -e .
printf '%s' "$key" > $stamp
