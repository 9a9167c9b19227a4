"""The index: made from the files alone, found in any script, never in the way of the program."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.core.words import Message
from studio.jobs.library import Entry, Marks, Query
from studio.jobs.library.index import SCHEMA, Index
from studio.jobs.library.marks import write_marks
from studio.jobs.library.scan import Found, scan
from tests.helpers.results import write_result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "results"
    made.mkdir()
    return made


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    made = Index(tmp_path / "library.sqlite")
    yield made
    made.close()


def read(index: Index, folder: Path) -> Found:
    return scan(index, folder, lambda _count: None)


def found(index: Index, **query: object) -> list[str]:
    ids = index.find(Query(**query))  # type: ignore[arg-type]
    return [entry.video.stem for entry in index.entries(ids)]


def entry(index: Index, stem: str) -> Entry:
    return next(e for e in index.entries(index.find(Query())) if e.video.stem == stem)


PROMPTS = {
    "cafe": "A café at night, l’été à Zürich",
    "cjk": "保持所有动作,把街道变成雪夜,霓虹灯闪烁",
    "ja": "ガラスの蘭が開く",
    "ko": "겨울 항구의 등불",
    "ru": "Лодка у причала зимой",
    "ar": "قارب في الميناء ليلا",
    "th": "เรือในท่าเรือยามค่ำคืน",
    "emoji": "a fox 🦊 in the snow",
    "quotes": 'say "hello" AND NOT (near) * ^ -minus title: x',
}


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("cafe", {"cafe"}),
        ("CAFÉ zürich", {"cafe"}),
        ("été", {"cafe"}),
        ("雪夜", {"cjk"}),
        ("雪", {"cjk"}),
        ("霓虹灯", {"cjk"}),
        ("ガラス", {"ja"}),
        ("ガラス", {"ja"}),
        ("항구", {"ko"}),
        ("ЛОДКА", {"ru"}),
        ("الميناء", {"ar"}),
        ("ท่าเรือ", {"th"}),
        ("🦊", {"emoji"}),
        ("fox 🦊", {"emoji"}),
        ('"hello"', {"quotes"}),
        ("AND NOT", {"quotes"}),
        ("(near) *", {"quotes"}),
        ("title:", {"quotes"}),
        ("no such thing", set()),
        ("   ", set(PROMPTS)),
    ],
)
def test_words_are_found_in_every_script(index: Index, folder: Path, text: str, fits: set[str]) -> None:
    for stem, prompt in PROMPTS.items():
        write_result(folder / f"{stem}.mp4", prompt=prompt)
    read(index, folder)
    assert set(found(index, text=text)) == fits


@pytest.mark.parametrize(
    "text", ["snow in the", "s n o w", "noir xsnow", "雪夜 灯", "a fox 🦊", "  the  the", "no no no"]
)
@pytest.mark.parametrize("starred", [False, True])
def test_typing_finds_what_each_text_finds_alone(
    index: Index, folder: Path, tmp_path: Path, text: str, starred: bool
) -> None:
    for stem, prompt in PROMPTS.items():
        write_marks(write_result(folder / f"{stem}.mp4", prompt=prompt), Marks(star=stem in ("emoji", "cjk")))
    read(index, folder)
    typed = [text[:n] for n in range(len(text) + 1)]
    for part in (*typed, *reversed(typed), "fox", "snow", ""):
        alone = Index(tmp_path / "library.sqlite")
        assert found(index, text=part, starred=starred) == found(alone, text=part, starred=starred), part
        alone.close()


def test_what_comes_while_a_text_is_typed_is_found(index: Index, folder: Path, tmp_path: Path) -> None:
    write_result(folder / "one.mp4", prompt="a lantern")
    read(index, folder)
    assert found(index, text="lan") == ["one"]
    write_result(folder / "two.mp4", prompt="two lanterns", created=1.0)
    read(index, folder)
    assert found(index, text="lant") == ["one", "two"]
    other = Index(tmp_path / "library.sqlite")
    write_result(folder / "three.mp4", prompt="three lanterns", created=0.5)
    read(other, folder)
    other.close()
    assert found(index, text="lanter") == ["one", "two", "three"]


def test_filters_and_orders(index: Index, folder: Path) -> None:
    write_result(folder / "old.mp4", created=1000.0, rehearsal=True, data=b"x" * 900, prompt="b")
    write_result(folder / "new.mp4", created=3000.0, source=folder / "clip.mp4", data=b"x", prompt="C")
    middle = write_result(folder / "middle.mp4", created=2000.0, data=b"x" * 50, prompt="a")
    write_marks(middle, Marks(star=True, tags=("client A", "night"), notes="the best one"))
    write_marks(folder / "old.mp4", Marks(reject=True))
    read(index, folder)
    assert found(index) == ["new", "middle", "old"]
    assert found(index, sort="oldest") == ["old", "middle", "new"]
    assert found(index, sort="largest") == ["old", "middle", "new"]
    assert found(index, sort="prompt") == ["middle", "old", "new"]
    assert found(index, since=1500.0) == ["new", "middle"]
    assert found(index, task="ref2va") == ["new"]
    assert found(index, rehearsal=True) == ["old"] and found(index, rehearsal=False) == ["new", "middle"]
    assert found(index, starred=True) == ["middle"] == found(index, tag="night") == found(index, text="best client")
    assert found(index, rejected=True) == ["old"] and found(index, rejected=False) == ["new", "middle"]
    index.set_flaws(entry(index, "new").id, [Message("health.silent"), Message("health.frozen", {"frame": 3})])
    assert found(index, faulty=True) == ["new"]
    assert entry(index, "new").flaws == (Message("health.silent"), Message("health.frozen", {"frame": 3}))
    assert index.tags() == [("client A", 1), ("night", 1)]


def test_a_deleted_index_is_made_again_with_all_marks(tmp_path: Path, folder: Path) -> None:
    video = write_result(folder / "2026-11-29" / "a.mp4", prompt="one")
    first = Index(tmp_path / "one.sqlite")
    assert first.fresh and read(first, folder) == Found(results=1, new=1)
    marks = Marks(star=True, tags=("x",), notes="kept")
    write_marks(video, marks)
    read(first, folder)
    first.close()
    (tmp_path / "one.sqlite").unlink()
    again = Index(tmp_path / "one.sqlite")
    assert again.fresh and read(again, folder).new == 1
    assert again.entries(again.find(Query()))[0].marks == marks
    again.close()


def test_reading_again_sees_what_changed_and_nothing_else(index: Index, folder: Path) -> None:
    kept, gone = write_result(folder / "kept.mp4"), write_result(folder / "gone.mp4")
    read(index, folder)
    index.set_flaws(entry(index, "kept").id, [])
    gone.unlink()
    write_result(folder / "added.mp4")
    assert read(index, folder) == Found(results=2, new=1, missing=1)
    assert entry(index, "gone").missing and not entry(index, "kept").missing
    assert entry(index, "kept").flaws == ()
    gone.write_bytes(b"")
    assert read(index, folder) == Found(results=3)
    assert not entry(index, "gone").missing
    write_result(kept, prompt="another prompt", sha256="other content")
    os.utime(kept.with_suffix(".json"), ns=(1, 1))
    read(index, folder)
    assert entry(index, "kept").prompt == "another prompt" and entry(index, "kept").flaws is None


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"shot": 3}', b"\xff\xfe", json.dumps({"shot": {}}).encode()])
def test_a_video_without_a_readable_recipe_is_counted_and_left_alone(index: Index, folder: Path, damage: bytes) -> None:
    write_result(folder / "good.mp4")
    write_result(folder / "bad.mp4").with_suffix(".json").write_bytes(damage)
    (folder / "other.mp4").write_bytes(b"")
    assert read(index, folder) == Found(results=1, new=1, without_recipe=2)


def test_names_and_prompts_that_are_not_text(index: Index, tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/odd \xff % ' \n"))
    folder.mkdir()
    video = write_result(folder / "a'b\"c.mp4", prompt="lone \ud83d surrogate")
    assert read(index, folder).new == 1
    assert index.entries(index.find(Query()))[0].video == video


def test_links_to_folders_are_not_followed(index: Index, folder: Path) -> None:
    write_result(folder / "a.mp4")
    (folder / "loop").symlink_to(folder)
    assert read(index, folder).results == 1


@pytest.mark.parametrize("damage", [b"not a database, but long enough to be taken for one " * 20, b"SQLite format 3\0"])
def test_a_damaged_index_is_made_anew_and_said(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "library.sqlite"
    path.write_bytes(damage)
    made = Index(path)
    assert made.fresh and made.trouble == Message("library.damaged")
    assert made.find(Query()).tolist() == []
    made.close()


def test_an_index_of_a_newer_version_is_left_as_it_is(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "library.sqlite"
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version={SCHEMA + 1}")
    db.close()
    before = path.read_bytes()
    write_result(folder / "a.mp4")
    made = Index(path)
    assert made.trouble == Message("library.newer") and made.fresh
    assert read(made, folder).new == 1 and len(made.find(Query())) == 1
    made.close()
    assert path.read_bytes() == before


def test_an_index_that_cannot_be_written_is_kept_in_memory(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    made = Index(tmp_path / "file" / "library.sqlite")
    assert made.trouble is not None and made.trouble.code == "library.index_unwritable"
    write_result(folder / "a.mp4")
    assert read(made, folder).new == 1
    made.close()


def test_two_windows_see_each_others_results(tmp_path: Path, folder: Path) -> None:
    one, two = Index(tmp_path / "library.sqlite"), Index(tmp_path / "library.sqlite")
    write_result(folder / "a.mp4", prompt="灯笼")
    assert found(two, text="灯笼") == []
    read(one, folder)
    assert found(two, text="灯笼") == ["a"]
    one.close()
    two.close()


def test_one_that_was_moved_is_not_missed_where_it_was(index: Index, folder: Path) -> None:
    video = write_result(folder / "a.mp4")
    read(index, folder)
    entry_id = entry(index, "a").id
    index.set_place(entry_id, folder / ".trash" / "a.mp4", trashed=True)
    assert not index.set_missing(entry_id, video, True)
    assert index.set_missing(entry_id, folder / ".trash" / "a.mp4", True)
