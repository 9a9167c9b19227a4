"""`compare` as a command: what it prints and what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from studio.cli.main import main
from tests.integration.compare.scenes import scene, write


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    a, b = write(tmp_path / "a.mp4", scene(24)), write(tmp_path / "b.mp4", scene(24), crf=28)
    return str(a), str(b)


def test_a_still_in_a_mode_and_all_measures(
    pair: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    still, measures = tmp_path / "still.png", tmp_path / "measures.json"
    asked = ("--mode", "stacked", "--still", "7", "--export", str(still), "--measures", str(measures), "--json")
    assert main(["compare", *pair, *asked]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "re-encode"
    with Image.open(still) as picture:
        assert picture.size == (256, 2 * 144)
    assert json.loads(measures.read_text())["frames"]["a"] == list(range(24))


def test_a_flickering_still_is_the_side_whose_turn_it_is(pair: tuple[str, str], tmp_path: Path) -> None:
    for frame, colour in ((3, (0xF2, 0xA6, 0x5A)), (8, (0x5A, 0xB1, 0xF2))):
        still = tmp_path / f"{frame}.png"
        assert main(["compare", *pair, "--mode", "flicker", "--still", str(frame), "--export", str(still)]) == 0
        with Image.open(still) as picture:
            assert (picture.size, picture.convert("RGB").getpixel((1, 1))) == ((256, 144), colour)


def test_a_wide_b_lies_over_a_as_asked(tmp_path: Path) -> None:
    a = write(tmp_path / "a.mp4", scene(2))
    b = write(tmp_path / "b.mp4", [picture[36:108] for picture in scene(2)])
    for fit, barred in (("fit", True), ("fill", False)):
        still = tmp_path / f"{fit}.png"
        asked = ("--mode", "wipe", "--fit", fit, "--offset", "0", "--still", "0", "--export", str(still))
        assert main(["compare", str(a), str(b), *asked]) == 0
        with Image.open(still) as picture:
            assert (picture.convert("L").getpixel((250, 5)) < 8) == barred


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--export", "clip.avi"), "clip.avi"),
        (("--measures", "numbers.txt"), "numbers.txt"),
        (("--range", "9", "3", "--export", "clip.mp4"), "9 3"),
        (("--still", "3", "--export", "clip.mp4"), "--still"),
    ],
)
def test_misuse_is_said(args: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "a.mp4", "b.mp4", *args]) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert said in written.err
