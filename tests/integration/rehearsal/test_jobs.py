"""A job's life over HTTP: shapes, order, cancelling, download, and the late refusals."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from tests.integration.rehearsal.conftest import SMALL, Server, make_clip, part, until

KEYS = [
    "model",
    "prompt",
    "id",
    "object",
    "status",
    "size",
    "progress",
    "seconds",
    "quality",
    "completed_at",
    "created_at",
    "remixed_from_video_id",
    "error",
    "media_type",
    "expires_at",
    "file_name",
    "inference_time_s",
    "fps",
    "num_frames",
    "duration_s",
    "metrics",
    "stage_durations",
    "peak_memory_mb",
    "action",
]
T2VA = {**SMALL, "prompt": "a red kite", "seconds": "4", "aspect_ratio": "1:1", "num_inference_steps": "3"}


def test_a_text_job_from_post_to_delete(ready: Callable[..., Server], tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    server = ready("--step-seconds", "0.1", "--storage", str(storage))
    created = server.post(**T2VA)
    record = created.json()
    assert created.status_code == 200
    assert list(record) == KEYS
    assert (record["status"], record["progress"], record["num_frames"], record["fps"]) == ("queued", 0, 96, 24.0)
    assert (record["seconds"], record["quality"], record["stage_durations"]) == ("4", "default", {})
    server.running(record["id"])
    early = server.http.get(f"/v1/videos/{record['id']}/content")
    assert early.status_code == 404
    assert early.json()["error"]["message"] == "Generation is still in-progress"

    done = server.ended(record["id"])
    assert list(done) == KEYS
    assert (done["status"], done["progress"], done["num_frames"]) == ("completed", 100, 107)
    assert done["duration_s"] == pytest.approx(107 / 24)
    assert done["file_name"] == f"{record['id']}.mp4"
    saved = storage / record["id"]
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600

    deleted = server.http.delete(f"/v1/videos/{record['id']}")
    assert deleted.json() == {"id": record["id"], "deleted": True, "object": "video.deleted"}
    assert not saved.exists()
    assert server.http.get(f"/v1/videos/{record['id']}").json() == {
        "error": {"message": "Video not found", "type": "Not Found", "param": None, "code": 404}
    }


def test_the_file_is_what_the_real_server_writes(server: Server, tmp_path: Path) -> None:
    id = server.create(**T2VA)
    server.ended(id)
    path = server.download(id, tmp_path / "a.mp4")
    with av.open(str(path)) as container:
        video, audio = container.streams.video[0], container.streams.audio[0]
        assert (video.width, video.height, video.frames, video.average_rate) == (256, 256, 107, 24)
        assert (video.codec_context.name, video.codec_context.profile) == ("h264", "Constrained Baseline")
        assert (video.pix_fmt, video.time_base.denominator) == ("yuv420p", 12_288)
        assert (video.codec_context.colorspace, video.codec_context.color_primaries) == (2, 2)  # unspecified: no tags
        assert (audio.codec_context.name, audio.rate, audio.layout.name) == ("aac", 32_000, "stereo")
        assert float(audio.duration * audio.time_base) == pytest.approx(107 / 24, abs=0.04)
        assert container.metadata["comment"] == "H3 Studio rehearsal"
    data = path.read_bytes()
    assert data.index(b"mdat") < data.rindex(b"moov")


def test_ranges(server: Server) -> None:
    id = server.create(**T2VA)
    server.ended(id)
    address = f"/v1/videos/{id}/content"
    whole = server.http.get(address)
    size = len(whole.content)
    assert whole.headers["content-type"] == "video/mp4"
    assert whole.headers["content-disposition"] == f'attachment; filename="{id}.mp4"'
    assert whole.headers["accept-ranges"] == "bytes"
    some = server.http.get(address, headers={"Range": "bytes=100-199"})
    assert (some.status_code, some.content) == (206, whole.content[100:200])
    assert some.headers["content-range"] == f"bytes 100-199/{size}"
    beyond = server.http.get(address, headers={"Range": f"bytes={size}-"})
    assert (beyond.status_code, beyond.headers["content-range"], beyond.content) == (416, f"bytes */{size}", b"")
    assert server.http.get(address, headers={"Range": "bytes=x"}).status_code == 400
    assert server.http.head(address).status_code == 405


def test_one_runs_and_the_others_wait_in_order(ready: Callable[..., Server]) -> None:
    server = ready("--step-seconds", "0.15")
    first, second, third = (server.create(**T2VA | {"prompt": word}) for word in ("one", "two", "three"))
    server.running(first)
    assert [server.job(id)["status"] for id in (second, third)] == ["queued", "queued"]
    listed = server.http.get("/v1/videos", params={"order": "asc"}).json()
    assert [job["id"] for job in listed["data"]] == [first, second, third]
    page = server.http.get("/v1/videos", params={"order": "asc", "limit": 1, "after": first}).json()
    assert (page["first_id"], page["last_id"], page["has_more"]) == (second, second, True)
    assert server.http.get("/v1/videos", params={"after": "nope"}).json()["data"] == []
    assert server.http.get("/v1/videos", params={"limit": 0}).json()["has_more"] is True
    bad = server.http.get("/v1/videos", params={"limit": 101}).json()["error"]
    assert (bad["type"], bad["param"]) == ("Bad Request", "query.limit")
    assert "'loc': 'query.limit', 'msg': 'Input should be less than or equal to 100'" in bad["message"]

    assert server.http.delete(f"/v1/videos/{second}").status_code == 200
    assert server.ended(third)["status"] == "completed"
    assert server.job(first)["status"] == "completed"
    assert "error" in server.job(second)


def test_deleting_the_running_job_frees_the_engine_at_the_next_step(ready: Callable[..., Server]) -> None:
    server = ready("--step-seconds", "0.2")
    long = server.create(**T2VA | {"num_inference_steps": "200"})
    server.running(long)
    assert server.http.delete(f"/v1/videos/{long}").status_code == 200
    assert server.http.get(f"/v1/videos/{long}").status_code == 404
    after = server.create(**T2VA | {"num_inference_steps": "1"})
    assert server.ended(after)["status"] == "completed"


def test_late_refusals_come_as_a_failed_job_with_status_500(server: Server, tmp_path: Path) -> None:
    no_ratio = {key: value for key, value in T2VA.items() if key != "aspect_ratio"}
    expected = {
        "t2va requires an explicit aspect_ratio": server.create(**no_ratio),
        "MiniMax H3 output duration must be in [4, 15] seconds, got 3.0": server.create(**T2VA | {"seconds": "3"}),
        "MiniMax H3 output fps is fixed at 24": server.create(**T2VA, fps="30"),
        "checkpoint partition 'combined' supports ['fl2va', 'ref2va', 't2va'], got task='i2v'": server.create(
            **T2VA, extra_params='{"task":"i2v"}'
        ),
        "reference video 0 duration must be in [2, 15] seconds, got 1.000": server.create(
            [part(make_clip(tmp_path / "short.mp4", frames=24), "video/mp4")], **T2VA
        ),
    }
    for sentence, id in expected.items():
        server.ended(id)
        answer = server.http.get(f"/v1/videos/{id}")
        assert answer.status_code == 500
        assert answer.json()["error"] == {"code": 500, "message": sentence}
        assert (answer.json()["progress"], answer.json()["file_name"]) == (0, None)
        assert server.http.get(f"/v1/videos/{id}/content").status_code == 422
    late_400 = server.create(**T2VA, lora="{}")
    server.ended(late_400)
    assert server.http.get(f"/v1/videos/{late_400}").status_code == 400


def _planes(path: Path, number: int) -> np.ndarray:
    with av.open(str(path)) as container:
        for index, frame in enumerate(container.decode(video=0)):
            if index == number:
                return frame.to_ndarray(format="rgb24").astype(np.int16)
    raise AssertionError("too few pictures")


def test_a_reference_is_redrawn_moves_on_and_keeps_its_sound(server: Server, clip: Path, tmp_path: Path) -> None:
    fields = {**SMALL, "width": "320", "num_inference_steps": "1", "seconds": "4"}
    task = '{"task":"ref2va"}'
    results = {}
    for look in ("paint it", "at night in heavy rain"):
        id = server.create([part(clip, "video/mp4")], prompt=look, extra_params=task, **fields)
        assert server.ended(id)["error"] is None
        results[look] = server.download(id, tmp_path / f"{len(results)}.mp4")
    plain, night = results.values()
    for number in (0, 30):
        source, drawn = _planes(clip, number), _planes(plain, number)
        assert np.abs(source - drawn).mean() >= 15
        # The motion is the source's: outlines of the same picture agree better than those of another.
        other = _planes(clip, number + 8)
        assert _likeness(drawn, source) > _likeness(drawn, other) + 0.1
    assert np.abs(_planes(plain, 10) - _planes(night, 10)).mean() >= 15
    assert _planes(night, 10).mean() < _planes(plain, 10).mean() - 20
    assert _pitch(plain) == pytest.approx(440, abs=2)


def _likeness(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a[..., 1].ravel(), b[..., 1].ravel())[0, 1])


def _pitch(path: Path) -> float:
    with av.open(str(path)) as container:
        sound = np.concatenate([frame.to_ndarray()[0] for frame in container.decode(audio=0)])
    second = sound[16_000:48_000]
    return float(np.abs(np.fft.rfft(second)).argmax())


def test_keyframes_stand_at_both_ends(server: Server, tmp_path: Path) -> None:
    colours = {"first.png": (200, 30, 30), "last.png": (30, 30, 200)}
    for name, colour in colours.items():
        Image.new("RGB", (320, 320), colour).save(tmp_path / name)
    files = [part(tmp_path / name, "image/png") for name in colours]
    id = server.create(files, prompt="dusk", seconds="4", num_inference_steps="1", **SMALL)
    assert server.ended(id)["error"] is None
    path = server.download(id, tmp_path / "out.mp4")
    for number, colour in ((0, colours["first.png"]), (106, colours["last.png"])):
        assert np.abs(_planes(path, number)[:200].mean(axis=(0, 1)) - colour).max() < 4


def test_the_same_seed_gives_the_same_bytes(server: Server) -> None:
    results = []
    for seed in ("5", "5", "6"):
        id = server.create(**T2VA | {"seed": seed})
        server.ended(id)
        results.append(server.http.get(f"/v1/videos/{id}/content").content)
    assert results[0] == results[1] != results[2]


def test_the_step_bar_stands_on_stderr_in_the_form_asked_for(ready: Callable[..., Server]) -> None:
    form = "H3STEP|{desc}|{n}|{total}|{elapsed_s:.3f}|{rate_fmt}\n"
    asked = ready("--step-seconds", "0.05", TQDM_BAR_FORMAT=form, TQDM_MININTERVAL="0")
    plain = ready("--step-seconds", "0.12", "--enable-diffusion-pipeline-profiler")
    for server in (asked, plain):
        server.ended(server.create(**T2VA))
    lines = until(lambda: asked.stderr.read_bytes() if b"|3|3|" in asked.stderr.read_bytes() else b"", "the bar")
    prefix = f"(DiffusionWorker pid={asked.process.pid}) \r".encode()
    steps = [piece.partition(b"H3STEP|")[2] for piece in lines.split(b"\n") if b"H3STEP" in piece]
    assert [step.split(b"|")[1] for step in steps] == [b"0", b"1", b"2", b"3", b"3"]
    assert prefix + b"H3STEP||0|3|0.000|?it/s\n" in lines
    bar = plain.stderr.read_bytes().decode()
    assert f"(DiffusionWorker pid={plain.process.pid}) \r  0%|" in bar
    for step in ("0/3 [00:00<?, ?it/s]", "1/3 [00:00<", "2/3 [00:00<", "3/3 [00:00<00:00,"):
        assert step in bar
    log = plain.stdout.read_text()
    for line in (
        "Video sampling params: steps=3",
        "MiniMaxH3Pipeline.diffuse took",
        "persisted",
        '"POST /v1/videos HTTP',
    ):
        assert line in log
