#!/bin/sh
# Tell the desktop of this bundle: menu entry, icon, .h3shot files. For this user, or below another prefix.
# Usage: ./install.sh [PREFIX] (default ~/.local). To undo it, remove the files that it names.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=${1:-$HOME/.local}
cd "$here/share"
find . -type f | while read -r file; do
    mkdir -p "$prefix/share/$(dirname "$file")"
    cp "$file" "$prefix/share/$file"
    echo "$prefix/share/${file#./}"
done
mkdir -p "$prefix/bin"
ln -sf "$here/h3studio" "$prefix/bin/h3studio"
echo "$prefix/bin/h3studio"
for tool in "update-mime-database $prefix/share/mime" "update-desktop-database $prefix/share/applications"; do
    if command -v "${tool%% *}" >/dev/null; then $tool; fi
done
