"""What differed between two requests, from the sidecars beside their results."""

import json
from pathlib import Path
from typing import Any

from studio.compare.recipe import recipe_diff, word_diff
from studio.contract.shot import Shot


def result(folder: Path, name: str, *, uploads: list[dict[str, Any]] | None = None, **asked: Any) -> Path:
    video = folder / f"{name}.mp4"
    video.write_bytes(name.encode())
    shot = Shot(seed=7, prompt="a red kite").model_copy(update=asked).model_dump(mode="json")
    server = {"url": f"http://{name}", "version": "0.30.0"}
    video.with_suffix(".json").write_text(json.dumps({"shot": shot, "uploads": uploads or [], "server": server}))
    return video


def test_one_change_is_the_one(tmp_path: Path) -> None:
    diff = recipe_diff(result(tmp_path, "a"), result(tmp_path, "b", seed=8))
    assert diff is not None
    assert [(line.name, line.a, line.b) for line in diff.changed] == [("seed", "7", "8")]
    assert not diff.ambiguous
    assert [line.name for line in diff.lines[:3]] == ["prompt", "references", "seed"]


def test_the_same_request_from_two_shots_is_the_same(tmp_path: Path) -> None:
    """Ids of references differ in every shot and render times in every render: neither was asked for."""
    videos = [result(tmp_path, name, prompt=f"keep @{{{name}}}") for name in ("a", "b")]
    for number, video in enumerate(videos):
        recipe = json.loads(video.with_suffix(".json").read_text())
        recipe["wire"] = [["prompt", "keep <Video 1>"]]
        recipe["server"] |= {"inference_time_s": 10.0 + number, "stage_durations": {"queue_wait_ms": number}}
        video.with_suffix(".json").write_text(json.dumps(recipe))
    diff = recipe_diff(*videos)
    assert diff is not None
    assert diff.changed == ()
    assert next(line.b for line in diff.lines if line.name == "prompt") == "keep <Video 1>"


def test_two_changes_explain_nothing(tmp_path: Path) -> None:
    diff = recipe_diff(result(tmp_path, "a"), result(tmp_path, "b", seed=8, prompt="a blue kite", notes="later"))
    assert diff is not None
    assert [line.name for line in diff.changed] == ["prompt", "seed"]
    assert diff.ambiguous


def test_references_are_what_was_uploaded(tmp_path: Path) -> None:
    one, other = ({"filename": "video1.mp4", "sha256": digest * 32} for digest in ("ab", "cd"))
    diff = recipe_diff(result(tmp_path, "a", uploads=[one]), result(tmp_path, "b", uploads=[other]))
    assert diff is not None
    assert [line.name for line in diff.changed] == ["references"]


def test_a_source_beside_its_result_says_what_was_asked(tmp_path: Path) -> None:
    source = tmp_path / "source.mp4"
    source.write_bytes(b"source")
    upload = {"filename": "video1.mp4", "sha256": "00", "source": str(source)}
    diff = recipe_diff(source, result(tmp_path, "b", uploads=[upload]))
    assert diff is not None
    assert diff.of == "source"
    assert not diff.ambiguous
    assert next(line.b for line in diff.lines if line.name == "prompt") == "a red kite"


def test_strangers_have_no_recipe_in_common(tmp_path: Path) -> None:
    stranger = tmp_path / "stranger.mp4"
    stranger.write_bytes(b"x")
    assert recipe_diff(stranger, result(tmp_path, "b")) is None
    assert recipe_diff(result(tmp_path, "c"), stranger) is None


def test_a_json_that_is_no_sidecar_is_none(tmp_path: Path) -> None:
    video = result(tmp_path, "b")
    for text in ("[1, 2]", '{"shot": 3}', "{", '{"shot": {}, "uploads": 4, "server": []}'):
        video.with_suffix(".json").write_text(text)
        assert recipe_diff(tmp_path / "a.mp4", video) is None


def test_changed_words_stand_where_they_are_read() -> None:
    found = word_diff("a red boat on\na lake", "a blue boat on a big lake")
    assert [(kind, text.strip()) for kind, text in found] == [
        ("same", "a"),
        ("gone", "red"),
        ("new", "blue"),
        ("same", "boat on a"),
        ("new", "big"),
        ("same", "lake"),
    ]
    assert word_diff("the same", "the same") == [("same", "the same")]
