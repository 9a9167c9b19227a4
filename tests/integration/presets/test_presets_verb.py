"""`h3studio presets`: the built-in ones and the user's own, as prose and as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from studio.contract import Shot
from studio.presets import PresetLibrary, parse_preset, preset_of, templates


def _run(*words: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-m", "studio", "presets", *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_list_and_show() -> None:
    own = PresetLibrary().add(preset_of(Shot(), "My steps", ["steps"]))
    (PresetLibrary().folder / "bad.h3preset").write_text("?")
    code, out, err = _run("list", "--json")
    table: list[dict[str, Any]] = json.loads(out)["presets"]
    assert code == 0
    assert [row["id"] for row in table] == [*(preset.id for preset in templates()), own.id]
    assert table[-1]["built_in"] is False and table[-1]["parts"] == ["steps"]
    assert "bad.h3preset" in err
    code, out, _ = _run("show", "edit-weather")
    assert code == 0
    assert parse_preset(out.encode()) == next(preset for preset in templates() if preset.id == "edit-weather")
    code, out, err = _run("show", "nothing")
    assert (code, out) == (2, "")
    assert "nothing" in err and "Traceback" not in err
