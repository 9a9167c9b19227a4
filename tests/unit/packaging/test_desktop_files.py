"""What the desktop is told of the program, held against the freedesktop validators where they are installed."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "packaging" / "desktop"
ENTRY = FOLDER / "applications" / "h3studio.desktop"
METAINFO = FOLDER / "metainfo" / "h3studio.metainfo.xml"
MIME = FOLDER / "mime" / "packages" / "h3studio.xml"


def validate(*argv: str | Path) -> None:
    """Run a validator; skips where it is not installed."""
    if shutil.which(str(argv[0])) is None:
        pytest.skip(f"{argv[0]} is not installed")
    env = {**os.environ, "PKGSYSTEM_ENABLE_FSYNC": "0"}  # waiting for the disk is no part of what is shown
    done = subprocess.run(argv, capture_output=True, text=True, env=env)
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr


def test_the_desktop_entry_is_valid() -> None:
    validate("desktop-file-validate", ENTRY)


def test_the_metainfo_is_valid() -> None:
    # The project owns no domain to make a reversed name of.
    validate("appstreamcli", "validate", "--no-net", "--override", "cid-desktopapp-is-not-rdns=info", METAINFO)


def test_the_mime_type_is_taken_by_the_desktops_data_base(own_home: Path) -> None:
    folder = own_home / ".local" / "share" / "mime"
    shutil.copytree(FOLDER / "mime", folder)
    validate("update-mime-database", folder)
    assert "application/x-h3shot+json:*.h3shot" in (folder / "globs").read_text("utf-8")


def test_the_three_files_speak_of_the_same_type_and_entry() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(ENTRY, "utf-8")
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    kind = ElementTree.parse(MIME).getroot().find(f"{space}mime-type")
    info = ElementTree.parse(METAINFO).getroot()
    assert kind is not None
    assert kind.get("type") == info.findtext("provides/mediatype")
    assert entry["Desktop Entry"]["MimeType"] == f"{kind.get('type')};"
    glob = kind.find(f"{space}glob")
    assert glob is not None and glob.get("pattern") == "*.h3shot"
    assert info.findtext("launchable") == ENTRY.name
