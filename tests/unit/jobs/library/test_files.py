"""A result's files stay together, and marks beside a result outlive everything but a person's wish."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.jobs.library import LibraryError, Marks, files
from studio.jobs.library.marks import marks_of, read_marks, write_marks
from tests.helpers.results import write_result


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_file()) if folder.exists() else []


@pytest.fixture
def video(tmp_path: Path) -> Path:
    made = write_result(tmp_path / "day" / "a.mp4", data=b"picture")
    write_marks(made, Marks(star=True))
    for recording in ("a.telemetry.csv", "a.telemetry.csv.gz"):
        made.with_name(recording).write_text("t,step\n")
    made.with_name("ab.mp4").write_bytes(b"another")
    return made


ALL = ["a.json", "a.marks.json", "a.mp4", "a.telemetry.csv", "a.telemetry.csv.gz"]


def test_all_files_go_to_the_trash_and_come_back(video: Path) -> None:
    trashed = files.to_trash(video)
    assert trashed == video.parent / ".trash" / "a.mp4" and names(trashed.parent) == ALL
    assert names(video.parent) == ["ab.mp4"]
    assert files.from_trash(trashed) == video
    assert names(video.parent) == sorted([*ALL, "ab.mp4"]) and not trashed.parent.exists()


def test_nothing_is_overwritten_on_the_way(video: Path) -> None:
    trashed = files.to_trash(video)
    write_result(video, data=b"newer")
    assert files.from_trash(trashed) == video.with_name("a_2.mp4")
    assert video.read_bytes() == b"newer" and video.with_name("a_2.mp4").read_bytes() == b"picture"
    assert read_marks(video.with_name("a_2.mp4")).star


def test_deleted_for_good(video: Path) -> None:
    trashed = files.to_trash(video)
    files.delete(trashed)
    assert not trashed.parent.exists() and names(video.parent) == ["ab.mp4"]


def test_a_move_that_cannot_be_is_said(video: Path) -> None:
    (video.parent / ".trash").write_bytes(b"")
    with pytest.raises(LibraryError) as caught:
        files.to_trash(video)
    assert "a.mp4 cannot be moved" in caught.value.text() and names(video.parent) == sorted([".trash", *ALL, "ab.mp4"])
    with pytest.raises(LibraryError, match=r"gone\.mp4 cannot be moved: it is not there any more"):
        files.to_trash(video.with_name("gone.mp4"))


@pytest.mark.parametrize("moved", range(4))
def test_a_move_that_was_cut_off_is_set_right(video: Path, moved: int) -> None:
    """The video moves last: until then the result is where it was, and what went ahead comes back."""
    trash = video.parent / ".trash"
    trash.mkdir()
    for path in files.companions(video)[:moved]:
        path.rename(trash / path.name)
    files.reunite(video.parent)
    assert names(video.parent) == sorted([*ALL, "ab.mp4"]) and names(trash) == []


def test_marks_are_kept_beside_the_video_and_nothing_is_kept_of_none(tmp_path: Path) -> None:
    video = write_result(tmp_path / "a.mp4")
    marks = Marks(tags=(" night ", "Client  A", "", "night"), notes="雪夜")
    assert marks.tags == ("Client A", "night")
    write_marks(video, marks)
    assert read_marks(video) == marks and "雪夜" in marks_of(video).read_text("utf-8")
    write_marks(video, Marks())
    assert not marks_of(video).exists() and read_marks(video) == Marks()


def test_a_star_and_a_rejection_exclude_each_other() -> None:
    assert Marks(reject=True).but(star=True) == Marks(star=True)
    assert Marks(star=True).but(reject=True) == Marks(reject=True)


def test_damaged_marks_are_set_aside_and_newer_ones_left_alone(tmp_path: Path) -> None:
    video = write_result(tmp_path / "a.mp4")
    marks_of(video).write_text("{half")
    assert read_marks(video) == Marks()
    write_marks(video, Marks(star=True))
    assert (tmp_path / "a.marks.damaged.json").read_text() == "{half" and read_marks(video).star
    marks_of(video).write_text('{"version": 2, "star": true, "colour": "red"}')
    assert read_marks(video).star
    with pytest.raises(LibraryError, match="newer version"):
        write_marks(video, Marks())
    assert "red" in marks_of(video).read_text()


def test_fields_of_others_are_kept(tmp_path: Path) -> None:
    video = write_result(tmp_path / "a.mp4")
    marks_of(video).write_text('{"star": true, "colour": "red"}')
    write_marks(video, read_marks(video).but(star=False))
    assert "red" in marks_of(video).read_text()
