"""The same pictures in other files: other containers, other rates of sound, coarser coding, a missing sound track."""

from pathlib import Path

import av
import pytest

from studio.compare.comparison import compare_files
from tests.integration.compare.scenes import rustle, scene, write


def repacked(source: Path, target: Path) -> Path:
    """The same picture packets in another container, chosen by the suffix."""
    with av.open(str(source)) as box, av.open(str(target), "w") as out:
        stream = box.streams.video[0]
        copy = out.add_stream_from_template(stream)
        for packet in box.demux(stream):
            if packet.dts is not None:
                packet.stream = copy
                out.mux(packet)
    return target


@pytest.mark.parametrize("suffix", [".mkv", ".mov", ".ts"])
def test_another_container_is_identical(tmp_path: Path, suffix: str) -> None:
    source = write(tmp_path / "a.mp4", scene(24))
    found = compare_files(source, repacked(source, tmp_path / f"b{suffix}"))
    assert (found.verdict, found.mad_max, found.frames_compared) == ("identical", 0.0, 24)
    assert found.pairing == "index"


def test_without_sound_index_k_still_meets_index_k(tmp_path: Path) -> None:
    heard = write(tmp_path / "a.mp4", scene(48), sound=rustle(2))
    found = compare_files(heard, write(tmp_path / "b.mp4", scene(48)))
    assert found.frames.a == found.frames.b == tuple(range(48))
    assert found.mad_max < 0.01


def test_coarser_coding_keeps_index_k_with_index_k(tmp_path: Path) -> None:
    source = write(tmp_path / "a.mp4", scene(48))
    found = compare_files(source, write(tmp_path / "b.mp4", scene(48), crf=24))
    assert found.alignment.offset_frames == 0
    assert found.verdict == "re-encode"


def test_one_frame_short_leaves_the_last_one_out(tmp_path: Path) -> None:
    source = write(tmp_path / "a.mp4", scene(48))
    found = compare_files(source, write(tmp_path / "b.mp4", scene(47)))
    assert found.frames.a == found.frames.b == tuple(range(47))
    assert found.mad_max < 5
