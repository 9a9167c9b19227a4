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
# A desktop need not have this folder on its path.
sed -i "s|^Exec=h3studio|Exec=\"$prefix/bin/h3studio\"|" "$prefix/share/applications/h3studio.desktop"
mkdir -p "$prefix/bin"
ln -sf "$here/h3studio" "$prefix/bin/h3studio"
echo "$prefix/bin/h3studio"
if command -v update-mime-database >/dev/null; then update-mime-database "$prefix/share/mime"; fi
if command -v update-desktop-database >/dev/null; then update-desktop-database "$prefix/share/applications"; fi
