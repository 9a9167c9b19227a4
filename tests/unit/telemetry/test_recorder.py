"""A recording goes into a file and comes back the same; a damaged file gives what is whole in it."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.telemetry import Card, GpuReading, HostReading, Recorder, Recording, Sample, replay
from studio.telemetry.recorder import COLUMNS

GIB = 1 << 30
CARDS = (Card(0, "H200", total=140 * GIB), Card(1, "H200", total=140 * GIB, mig=3))


def record(path: Path, samples: int) -> tuple[Recorder, Recording]:
    recorder, recording = Recorder(path, pack_over=50_000), Recording(0.0)
    recorder.stage(0.0, "prepare")
    recording.add_stage(0.0, "prepare")
    for second in range(samples):
        readings = (GpuReading((20 + second % 50) * GIB, 99, 650.5, 57), GpuReading())
        sample = Sample(float(second), CARDS, readings, HostReading(10 * GIB, 64 * GIB))
        recorder.sample(float(second), sample)
        recording.add_sample(sample)
        if second % 5 == 0:
            recorder.step(recording.add_step(float(second), second // 5, samples // 5))
    return recorder, recording


def test_the_columns_are_those_that_were_agreed(tmp_path: Path) -> None:
    recorder, _ = record(tmp_path / "r.csv", 6)
    recorder.flush()
    text = (tmp_path / "r.csv").read_text()
    assert text.startswith("t_s,kind,gpu,used_mib,total_mib,util,power_w,temp_c,step,steps,stage\n")
    rows = list(csv.DictReader(text.splitlines()))
    assert rows[0] | {"t_s": "0", "kind": "stage", "stage": "prepare"} == rows[0]
    gpu = next(row for row in rows if row["kind"] == "gpu")
    assert [gpu[name] for name in COLUMNS] == ["0", "gpu", "0", "20480", "143360", "99", "650.5", "57", "", "", ""]
    unknown = next(row for row in rows if row["gpu"] == "1:3")
    assert (unknown["used_mib"], unknown["util"]) == ("", ""), "not reported is empty, never zero"
    last = [row for row in rows if row["kind"] == "step"][-1]
    assert (last["t_s"], last["step"], last["steps"]) == ("5", "1", "1")


@pytest.mark.parametrize("samples", [40, 2_000])
def test_it_comes_back_the_same_and_is_packed_when_large(tmp_path: Path, samples: int) -> None:
    recorder, seen = record(tmp_path / "work" / "r.csv", samples)
    video = tmp_path / "120000_kite_s7.mp4"
    file = recorder.move_beside(video)
    assert file is not None and file.exists() and not (tmp_path / "work" / "r.csv").exists()
    assert file.name == "120000_kite_s7.telemetry.csv" + (".gz" if samples > 1000 else "")
    back = replay(file)
    assert back.stages == seen.stages and back.end == seen.end
    assert [(m.t, m.step, m.steps) for m in back.steps] == [(m.t, m.step, m.steps) for m in seen.steps]
    for label, track in seen.tracks.items():
        assert back.tracks[label].used.peak == track.used.peak and back.tracks[label].total == track.total
    ours, theirs = (r.tracks["0"].used.view(0, samples, 100) for r in (seen, back))
    assert ours.high.tolist() == theirs.high.tolist()
    assert back.host.used.last == 10 * 1024


def test_it_goes_on_where_it_was_left(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    for start in (0.0, 10.0):
        recorder = Recorder(path)
        recorder.stage(start, f"at {start}")
        recorder.flush()
    assert [name for _, name in replay(path).stages] == ["at 0.0", "at 10.0"]
    assert path.read_text().count("t_s") == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(cut=st.integers(0, 3000), packed=st.booleans())
def test_a_torn_file_gives_what_is_whole_in_it(tmp_path: Path, cut: int, packed: bool) -> None:
    recorder, _ = record(tmp_path / "whole.csv", 30)
    recorder.flush()
    data = (tmp_path / "whole.csv").read_bytes()
    recorder.path.unlink()
    file = tmp_path / ("torn.csv.gz" if packed else "torn.csv")
    data = gzip.compress(data, mtime=0) if packed else data
    file.write_bytes(data[: min(cut, len(data))])
    try:
        back = replay(file)
    except ValueError:
        return
    assert all(track.used.peak is None or track.used.peak[1] <= 70 * 1024 for track in back.tracks.values())


def test_another_file_is_no_recording(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="no recording"):
        replay(tmp_path / "other.csv")


def test_nothing_seen_leaves_no_file(tmp_path: Path) -> None:
    assert Recorder(tmp_path / "r.csv").move_beside(tmp_path / "v.mp4") is None
    assert list(tmp_path.glob("*.*")) == []
