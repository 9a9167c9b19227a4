"""Rows that arrive while measuring, and comparisons that are kept by content."""

from pathlib import Path

import numpy as np
import pytest

from studio.compare.comparison import compare, compare_files
from studio.compare.kept import Kept
from studio.compare.result import Comparison
from studio.compare.rows import read_rows
from studio.core.paths import cache_dir
from studio.media.workers import Workers
from tests.integration.compare.scenes import scene, write


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    return write(tmp_path / "a.mp4", scene(40)), write(tmp_path / "b.mp4", scene(36, first=4), crf=24)


def test_rows_are_the_measures(pair: tuple[Path, Path], tmp_path: Path) -> None:
    found = compare_files(*pair, None, rows=tmp_path / "rows")
    rows = read_rows(tmp_path / "rows")
    assert found.alignment.offset_frames == 4
    assert (rows["a"] - rows["b"] == 4).all()
    for name in ("mad", "psnr", "ssim", "self_b"):
        # The first row has no frame before it where the comparison's first pair has none either.
        assert np.allclose(rows[name][1:], getattr(found.frames, name)[1:], atol=1e-3), name


def test_half_a_row_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(bytes(28 + 11))
    assert len(read_rows(path)) == 1


async def test_rows_come_while_it_measures(tmp_path: Path, workers: Workers) -> None:
    a = write(tmp_path / "a.mp4", scene(150))
    counts: list[int] = []
    found = await compare(workers, a, a, offset=0, growing=lambda rows: counts.append(len(rows)))
    assert counts == sorted(counts)
    assert counts[-1] == found.frames_compared == 150


async def test_the_same_content_is_measured_once(pair: tuple[Path, Path], tmp_path: Path, workers: Workers) -> None:
    first = await compare(workers, *pair)
    told: list[float] = []
    moved = pair[1].rename(tmp_path / "renamed.mp4")
    again = await compare(workers, pair[0], moved, progress=told.append)
    assert again == first.model_copy(update={"b": moved})
    assert max(told, default=0.0) == 0.0
    assert len(list((cache_dir() / "compare").iterdir())) == 1


async def test_other_content_under_the_same_name_is_measured_anew(pair: tuple[Path, Path], workers: Workers) -> None:
    first = await compare(workers, *pair, offset=0)
    write(pair[1], scene(36, seed=3))
    assert (await compare(workers, *pair, offset=0)).mad != first.mad


def test_a_damaged_entry_is_no_entry(pair: tuple[Path, Path], tmp_path: Path) -> None:
    kept = Kept(tmp_path / "kept", Comparison)
    found = compare_files(*pair, 4)
    key = kept.key(*pair, asked=4)
    kept.put(key, found)
    assert kept.get(key) == found
    (tmp_path / "kept" / f"{key}.json").write_text('{"a": ')
    assert kept.get(key) is None
