#!/bin/sh
# The wheel in dist/, and of it one folder that runs without Python: dist/h3studio. A virtual environment of its own,
# build/bundle-venv, has the headless OpenCV and PyInstaller.
set -eu
cd "$(dirname "$0")/../.."
here=packaging/bundle
venv=build/bundle-venv
python=.venv/bin/python
pip="$venv/bin/python -m pip --disable-pip-version-check --quiet"

rm -rf dist/*.whl
.venv/bin/python -m hatchling build -t wheel -d dist >/dev/null
key=$(cksum < $here/requirements.lock)" $("$python" --version)"
if [ "$(cat $venv/.installed 2>/dev/null || true)" != "$key" ]; then
    echo "Setting up $venv"
    "$python" -m venv --clear $venv
    $pip install --require-hashes -r $here/requirements.lock
    printf '%s' "$key" > $venv/.installed
fi
$pip install --no-deps --force-reinstall dist/*.whl
$venv/bin/pyinstaller --noconfirm --log-level WARN --distpath dist --workpath build/pyinstaller $here/h3studio.spec
# An interpreter that was built by hand carries its symbols: 17 MB.
if command -v strip >/dev/null; then strip --strip-unneeded dist/h3studio/_internal/libpython3.*.so*; fi
mkdir -p dist/h3studio/share
cp -r packaging/desktop/. dist/h3studio/share/
.venv/bin/python packaging/icons.py dist/h3studio/share/icons
cp $here/install.sh dist/h3studio/
echo "dist/h3studio: $(du -sm dist/h3studio | cut -f1) MB, version $(dist/h3studio/h3studio --version | head -n 1)"
