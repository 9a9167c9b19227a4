"""Kept and changed parts of an edited clip, told apart by the recipe beside it, shown and measured each alone."""

import json
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.cli.main import main
from studio.contract import Canvas, Reference, Shot, edits
from studio.contract.keep_change import KeepChange, PictureMarks, Rectangle, RectangleKey, Span
from tests.gui.compare.conftest import opened
from tests.helpers import barcode
from tests.helpers.waiting import until
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel

FRAMES, EDGE = 107, 256
QUALITY = {"preset": "ultrafast", "qp": "4"}


def edited(folder: Path, source: Path) -> Path:
    """What a server might give back: until 2 s the source, then all but its left half inverted; and its recipe."""
    path = folder / "result.mp4"
    with av.open(str(path), "w") as box:
        stream = box.add_stream("libx264", rate=24, options=QUALITY)
        stream.width, stream.height, stream.pix_fmt = EDGE, EDGE, "yuv420p"
        for n in range(FRAMES):
            image = barcode.picture(n, EDGE, EDGE)
            if n >= 48:
                image[:, EDGE // 2 :] = 255 - image[:, EDGE // 2 :]
            box.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
        box.mux(stream.encode(None))
    left = RectangleKey(time=0, x=0, y=0, width=0.5, height=1)
    marks = PictureMarks(spans=(Span(start=0, end=2, change=0),), areas=(Rectangle(change=0, keys=(left,)),))
    reference = Reference(id="r1", path=source, kind="video", edit=KeepChange(picture=marks))
    shot = Shot(references=(reference,), frames=FRAMES, canvas=Canvas(width=EDGE, height=EDGE), follow=frozenset())
    recipe = {"shot": shot.model_dump(mode="json"), "uploads": [{"field": "source_video", "source": str(source)}]}
    path.with_suffix(".json").write_text(json.dumps(recipe))
    return path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return barcode.write(tmp_path / "source.mp4", frames=FRAMES, options=QUALITY)


async def test_an_edited_clip_shows_its_parts_apart(
    workspace: CompareWorkspace, model: CompareModel, source: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    await opened(model, source, edited(tmp_path, source))
    await until(lambda: model.kept_parts.parts is not None, "the parts to be measured")
    parts, kept = model.kept_parts.parts, workspace.panel.kept
    assert parts is not None and parts.kept_mean is not None and parts.changed_mean is not None
    assert parts.kept_mean < 2 < 50 < parts.changed_mean
    assert len(parts.kept) == FRAMES and parts.changed[:40] == (None,) * 40 and parts.changed[60] is not None
    assert f"mean difference {parts.kept_mean:.1f}" in kept.whole and kept.isVisible()

    qtbot.keyClick(workspace.stage.first, Qt.Key.Key_8)
    assert model.mode == "kept"
    model.playback.seek(60)
    await until(lambda: model.shown is not None and model.shown.position == 60 and model.shown.made is not None)
    assert model.shown is not None and model.shown.made is not None and model.shown.pictures.b is not None
    made, b = model.shown.made[..., :3], model.shown.pictures.b[..., :3]
    assert made[:, : EDGE // 2 - 4].mean() < 12  # kept: nothing differs, four times over
    assert np.array_equal(made[:, EDGE // 2 + 4 : -4], b[:, EDGE // 2 + 4 : -4])
    assert (made[20:200, EDGE // 2 - 2 : EDGE // 2 + 2] == 255).all(axis=2).any()  # the line between them
    assert kept.values[1].text() == f"{parts.changed[60]:.2f}"
    model.playback.seek(10)
    await until(lambda: model.shown is not None and model.shown.position == 10)
    assert kept.values[1].text() == "–"


def still_of(path: Path, n: int) -> np.ndarray:
    """(h, w, 3) R, G, B of frame n of a clip."""
    with av.open(str(path)) as box:
        return next(f for k, f in enumerate(box.decode(video=0)) if k == n).to_ndarray(format="rgb24").astype(int)


async def test_what_is_exported_is_what_is_seen(
    workspace: CompareWorkspace, model: CompareModel, source: Path, tmp_path: Path
) -> None:
    await opened(model, source, edited(tmp_path, source))
    await until(lambda: model.comparison is not None and model.kept_parts.clip is not None)
    model.set_mode("kept")
    model.playback.set_range(56, 63)
    model.playback.seek(60)
    await until(lambda: model.shown is not None and model.shown.position == 60 and model.shown.made is not None)
    assert model.shown is not None and model.shown.made is not None
    seen = model.shown.made[..., 2::-1].astype(int)

    out = tmp_path / "out"
    model.export(out / "clip.mp4")
    await until((out / "clip.mp4").exists)
    with av.open(str(out / "clip.mp4")) as box:
        assert box.streams.video[0].frames == 8
    shown = still_of(out / "clip.mp4", 4)
    assert shown.shape == (EDGE + 32, EDGE, 3), "one picture over its numbers, not three"
    assert np.abs(shown[30:EDGE] - seen[30:]).mean() < 8

    model.export(out / "sheet.png", at=(10, 60))
    await until((out / "sheet.png").exists)
    with Image.open(out / "sheet.png") as sheet:
        pixels = np.asarray(sheet.convert("RGB")).astype(int)
    third = pixels[-(280 + 20 + 12) :][:280, 12 + 280 + 12 :][:, :280]
    wanted = np.asarray(Image.fromarray(seen.astype(np.uint8)).resize((280, 280))).astype(int)
    assert np.abs(third[30:] - wanted[30:]).mean() < 12

    model.save_picture(out / "still.png")
    await until((out / "still.png").exists)
    with Image.open(out / "still.png") as still:
        assert np.array_equal(np.asarray(still.convert("RGB")), seen)


def test_the_command_line_writes_the_parts_apart(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result, still = edited(tmp_path, source), tmp_path / "still.png"
    asked = ("--offset", "0", "--mode", "kept", "--still", "60", "--export", str(still))
    assert main(["compare", str(source), str(result), *asked]) == 0
    with Image.open(still) as picture:
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    assert pixels[30:, : EDGE // 2 - 4].mean() < 12
    assert np.abs(pixels[30:, EDGE // 2 + 4 :] - still_of(result, 60)[30:, EDGE // 2 + 4 :]).mean() < 6
    result.with_suffix(".json").unlink()
    assert main(["compare", str(source), str(result), *asked]) == 2
    assert "result.mp4" in capsys.readouterr().err


async def test_other_pairs_have_no_such_mode(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, short_clip: Path, qtbot: QtBot
) -> None:
    await opened(model, clip, short_clip)
    await until(lambda: model.kept_parts._task is not None and model.kept_parts._task.done())
    qtbot.keyClick(workspace.stage.first, Qt.Key.Key_8)
    assert model.mode == "side"
    assert not workspace.header.modes.buttons["kept"].isVisible() and not workspace.panel.kept.isVisible()


def test_the_command_line_measures_the_parts(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(source), str(edited(tmp_path, source)), "--offset", "0", "--json"]) == 0
    edit = json.loads(capsys.readouterr().out)["edit"]
    assert edit["kept_mean"] < 2 < 50 < edit["changed_mean"]
    assert edit["kept_share"] == pytest.approx((48 + 59 / 2) / FRAMES, abs=0.03)


def test_a_recipe_without_marks_or_of_another_source_tells_nothing(tmp_path: Path, source: Path) -> None:
    from studio.compare.kept_parts import _edit_of

    result = edited(tmp_path, source)
    assert _edit_of(source, result) is not None
    assert _edit_of(tmp_path / "other.mp4", result) is None
    recipe = json.loads(result.with_suffix(".json").read_text())
    bare = edits.set_edit(Shot.model_validate(recipe["shot"]), "r1", None)
    result.with_suffix(".json").write_text(json.dumps(recipe | {"shot": bare.model_dump(mode="json")}))
    assert _edit_of(source, result) is None
