"""Latent-mask edits beside a real server: what is refused, word for word, and what a mask becomes.

    python -m tests.bench.edits_peer http://127.0.0.1:8099 [PYTHON_OF_THE_SERVER]

Three rounds. *Shots*: our check and the server's verdict on shots that edit a clip. *Forms*: raw combinations of the
four parts, sent to the server and to the rehearsal server alike. *Masks*: what the server's own code makes of our JSON,
cell by cell (needs the server's Python). A server without weights does not denoise: whether a kept part is kept is not
seen here.
"""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
import tempfile
import wave
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from PIL import Image

from studio.client import Client, ClientError, Upload
from studio.contract import (
    Canvas,
    KeepChange,
    MediaFacts,
    PictureMarks,
    Rectangle,
    RectangleKey,
    Reference,
    Request,
    Shot,
    SoundMarks,
    Span,
    Stroke,
    check,
    codes_of,
    edit_masks,
    load_limits,
    mask_json,
    model_mask,
    wire_form,
)
from studio.core.program import own_argv
from studio.media.edit_files import edit_files
from studio.media.prepare import prepare
from studio.media.probe import probe_file
from studio.media.workers import Workers
from studio.rehearsal.edit_rules import resolve_edit
from studio.rehearsal.edit_upload import EditUpload
from tests.helpers.media_factory import clicks, write_clip

_FRAMES, _SIZE = 107, 256
_LATENTS, _CELLS, _HEARD = 32, _SIZE // 16, 178
_POLL_S = 0.1


def _mask(*shape: int, value: float = 0.0) -> Any:
    return np.full(shape, value).tolist()


@dataclass(frozen=True)
class Form:
    """A raw form: extra parameters, and the parts by field, each a name and its bytes."""

    name: str
    parts: dict[str, tuple[str, bytes]]
    extra: dict[str, Any]


def forms(video: bytes, silent: bytes, sound: bytes) -> Iterator[Form]:
    """All that the facts say of accepted and refused combinations, and more around the edges."""

    def form(name: str, extra: dict[str, Any] | None = None, **parts: Any) -> Form:
        named = {
            "source_video": "source.mp4",
            "source_audio": "source.wav",
            "video_noise_mask": "mask.json",
            "audio_noise_mask": "mask.json",
            "input_references": "clip.mp4",
        }
        made = {}
        for field, value in parts.items():
            file_name, data = value if isinstance(value, tuple) else (named[field], value)
            made[field] = (file_name, data if isinstance(data, bytes) else json.dumps(data).encode())
        return Form(name, made, extra or {})

    blocks = (_LATENTS, _CELLS // 2, _CELLS // 2)
    cells = (_LATENTS, _CELLS, _CELLS)
    for shape in (blocks, cells, (int(np.prod(blocks)),), (1, *blocks), (1, 1, *cells), (1, int(np.prod(blocks)))):
        yield form(f"video mask {shape}", source_video=video, video_noise_mask=_mask(*shape))
    for value in (0, 1, 0.5, 1.0, [0], [[0.25]], 2, -0.1, 1e400, True, [True], "0", ["0"], None, [None], {}, [], [[]]):
        yield form(f"video mask {value!r}", source_video=video, video_noise_mask=value)
    for shape in ((3,), (31, 8, 8), (32, 8, 16), (8, 8), (2, *blocks), (*blocks, 1), (int(np.prod(cells)),)):
        yield form(f"video mask {shape}", source_video=video, video_noise_mask=_mask(*shape))
    ragged = _mask(*blocks)
    ragged[3][2] = ragged[3][2][:-1]
    yield form("ragged video mask", source_video=video, video_noise_mask=ragged)
    for shape in ((_HEARD,), (2, _HEARD), (2 * _HEARD,), (1, _HEARD), (1, 2, _HEARD), (_HEARD, 2), (177,), (3, _HEARD)):
        yield form(f"audio mask {shape}", source_audio=sound, audio_noise_mask=_mask(*shape))
    for value in (0, 1, 0.5, 1.5, False, [], "x", None):
        yield form(f"audio mask {value!r}", source_audio=sound, audio_noise_mask=value)
    yield form("no mask", source_video=video)
    yield form("no mask, sound", source_audio=sound)
    yield form("no source", video_noise_mask=0)
    yield form("no source, all new", video_noise_mask=1)
    yield form("no source, sound", audio_noise_mask=0)
    yield form("no source, sound all new", audio_noise_mask=1)
    yield form("sound with a video mask only", source_video=video, source_audio=sound, video_noise_mask=0)
    yield form("sound of the clip", source_video=video, audio_noise_mask=0)
    yield form("sound of a silent clip", source_video=silent, audio_noise_mask=0)
    both = {"video_noise_mask": 0, "audio_noise_mask": 0}
    yield form("both of the clip", source_video=video, **both)
    yield form("both of a silent clip", source_video=silent, **both)
    yield form("both, own sound", source_video=silent, source_audio=sound, **both)
    yield form("all new, silent clip", source_video=silent, video_noise_mask=1, audio_noise_mask=0)
    for name in ("a.mkv", "a.MP4", "a.mov", "a", "a.webm"):
        yield form(f"source called {name}", source_video=(name, video), video_noise_mask=0)
    for name in ("a.mp3", "a.WAV", "a.m4a", "a"):
        yield form(f"sound called {name}", source_audio=(name, sound), audio_noise_mask=0)
    yield form("empty source", source_video=("a.mp4", b""), video_noise_mask=0)
    yield form("empty sound", source_audio=("a.wav", b""), audio_noise_mask=0)
    yield form("source is no clip", source_video=("a.mp4", b"no clip" * 99), video_noise_mask=0)
    yield form("sound is no sound", source_audio=("a.wav", b"no sound" * 99), audio_noise_mask=0)
    yield form("all new, source is no clip", source_video=("a.mp4", b"no clip" * 99), video_noise_mask=1)
    for name, data in (
        ("empty", b""), ("blank", b" "), ("no JSON", b"[0,"), ("words", b"keep"), ("not UTF-8", b"\xff\xfe0"),
        ("null", b"null"), ("64 deep", b"[" * 64 + b"0" + b"]" * 64), ("65 deep", b"[" * 65 + b"0" + b"]" * 65),
        ("9000 deep", b"[" * 9000 + b"0" + b"]" * 9000), ("NaN", b"NaN"), ("Infinity", b"[Infinity]"),
        ("8 MiB", b"0" + b" " * ((8 << 20) - 1)), ("over 8 MiB", b"0" + b" " * (8 << 20)),
    ):  # fmt: skip
        yield form(f"mask file {name}", source_video=video, video_noise_mask=data)
    yield form("beside a reference", {"task": "ref2va"}, input_references=video, source_video=video, video_noise_mask=0)
    full = {"task": "ref2va", "long_video": True, "long_video_mode": "full"}
    yield form("long in one piece", full, input_references=video, source_video=video, video_noise_mask=0)
    windows = {"task": "ref2va", "long_video": True, "long_video_mode": "continuation"}
    yield form("continued", windows, input_references=video, source_video=video, video_noise_mask=0)
    yield form("continued, sound", windows, input_references=video, source_audio=sound, audio_noise_mask=0)
    driven = {"audio_mode": "lock_source"}
    locked = {"input_references": ("drive.wav", sound)}
    yield form("driven, sound kept", driven, **locked, source_audio=sound, audio_noise_mask=0)
    yield form("driven, sound all new", driven, **locked, source_audio=sound, audio_noise_mask=1)
    yield form("driven, picture kept", driven, **locked, source_video=video, video_noise_mask=0)


def shots(folder: Path) -> Iterator[tuple[str, Shot]]:
    """Shots that edit a clip: what is drawn, and what it is combined with."""

    def clip(name: str, edit: KeepChange | None, n: int = 0, **more: Any) -> Reference:
        return Reference(id=f"c{n}", path=folder / name, kind="video", edit=edit, **more)

    def shot(*references: Reference, **more: Any) -> Shot:
        square = Canvas(width=_SIZE, height=_SIZE)
        plain = {"task": "t2va", "prompt": "a red kite", "frames": _FRAMES, "steps": 1, "canvas": square, "follow": ()}
        return Shot(**{**plain, "references": references, **more})

    keep, change = Span(start=0, end=2, change=0), Span(start=2, end=4, change=1, fade_in=0.5)
    moving = Rectangle(
        change=1,
        keys=(
            RectangleKey(time=0, x=0.1, y=0.1, width=0.3, height=0.3),
            RectangleKey(time=4, x=0.6, y=0.4, width=0.3, height=0.3),
        ),
    )
    brush = Stroke(change=0, radius=0.1, points=((0.2, 0.2), (0.5, 0.6), (0.8, 0.2)))
    picture = PictureMarks(rest=0, spans=(change,), areas=(moving,))
    sound = SoundMarks(rest=1, spans=(keep,))
    edits = {
        "time": KeepChange(picture=PictureMarks(spans=(keep,))),
        "faded": KeepChange(picture=PictureMarks(rest=0, spans=(change,))),
        "rectangle": KeepChange(picture=PictureMarks(rest=0, areas=(moving,))),
        "brush": KeepChange(picture=PictureMarks(areas=(brush,))),
        "all kept": KeepChange(picture=PictureMarks(rest=0), sound=SoundMarks(rest=0)),
        "all changed": KeepChange(),
        "sound": KeepChange(sound=sound),
        "same picture, new sound": KeepChange(picture=PictureMarks(rest=0)),
        "new picture, same sound": KeepChange(sound=SoundMarks(rest=0)),
        "both": KeepChange(picture=picture, sound=sound),
        "source only": KeepChange(picture=picture, sound=sound, also_reference=False),
    }
    for name, edit in edits.items():
        for source in ("heard.mp4", "silent.mp4", "wide.mp4", "short.mp4"):
            yield f"t2va {name}, {source}", shot(clip(source, edit))
    for name in ("time", "sound", "both", "source only", "all changed"):
        yield f"ref2va {name}", shot(clip("heard.mp4", edits[name]), task="ref2va")
    both, only = edits["both"], edits["source only"]
    yield "beside another clip", shot(clip("heard.mp4", only), clip("silent.mp4", None, 1), task="ref2va")
    yield "trimmed", shot(clip("heard.mp4", both, start=1.0, end=4.0))
    for task in ("t2va", "ref2va"):
        for long in ({}, {"long_video_mode": "full"}, {"long_video_mode": "continuation"}):
            yield f"long {task} {long}", shot(clip("heard.mp4", both), task=task, long_video=long, frames=158)
    drive = Reference(id="s", path=folder / "drive.wav", kind="audio", role="driving")
    for name in ("time", "sound", "both"):
        yield f"driven {name}", shot(clip("heard.mp4", edits[name]), drive, audio_mode="lock_source")
    still = Reference(id="p", path=folder / "still.png", kind="image", role="first")
    for name in ("time", "sound", "both"):
        yield f"fl2va {name}", shot(still, clip("heard.mp4", edits[name]), task="fl2va")
    yield "ref2va, a picture and a source", shot(still.but(role="reference"), clip("heard.mp4", only), task="ref2va")
    named = shot(clip("wide.mp4", both), canvas=Canvas(aspect="21:9"))
    yield "a named canvas", named


class Peer:
    """The real server and the rehearsal server, and what they say."""

    def __init__(self, url: str, rehearsal: str) -> None:
        self.urls = (url, rehearsal)
        self._http = httpx.AsyncClient(timeout=120)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def say(self, url: str, form: Form) -> str:
        """The refusal of a form, or "" when it came to its end."""
        task = form.extra.get("task", "t2va")
        extra = {"task": task, "duration": _FRAMES / 24, **form.extra}
        size = {"width": str(_SIZE), "height": str(_SIZE), "aspect_ratio": "1:1"}
        fields = {"prompt": "a red kite", "seed": "1", "num_inference_steps": "1", "extra_params": json.dumps(extra)}
        files = [(field, (name, io.BytesIO(data))) for field, (name, data) in form.parts.items()]
        answer = await self._http.post(f"{url}/v1/videos", data={**fields, **size}, files=files)
        body = answer.json()
        if not answer.is_success:
            return str(body.get("detail") or body.get("error", {}).get("message") or body)
        while body.get("status") not in ("completed", "failed"):
            await asyncio.sleep(_POLL_S)
            body = (await self._http.get(f"{url}/v1/videos/{body['id']}")).json()
        if body["status"] == "completed":
            await self._http.delete(f"{url}/v1/videos/{body['id']}")
        return str(body["error"]["message"]) if body.get("error") else ""


async def compare_forms(peer: Peer, material: tuple[bytes, bytes, bytes]) -> Counter[str]:
    """The same raw forms to both servers."""
    counted: Counter[str] = Counter()
    for form in forms(*material):
        theirs, ours = [await peer.say(url, form) for url in peer.urls]
        same = "agree, accepted" if theirs == ours == "" else "agree, word for word" if theirs == ours else "DIFFER"
        counted[same] += 1
        if same == "DIFFER":
            print(f"form {form.name[:40]:40} theirs: {theirs[:130]!r}\n{'':46}rehearsal: {ours[:130]!r}", flush=True)
    return counted


async def compare_shots(url: str, folder: Path) -> Counter[str]:
    """Our findings on shots beside what the server says to what they are sent as."""
    counted: Counter[str] = Counter()
    async with AsyncExitStack() as stack:
        workers = Workers()
        stack.push_async_callback(workers.aclose)
        client = await stack.enter_async_context(Client(url))
        for name, shot in shots(folder):
            facts: dict[str, MediaFacts] = {r.id: probe_file(r.path) for r in shot.references}
            request = Request(shot, load_limits(), facts)
            errors = [f for f in check(request) if f.is_error]
            said = await _sent(client, workers, request, folder / "out")
            if not errors and not said:
                verdict = "agree, accepted"
            elif not errors or not said:
                verdict = "MISSED" if said else "BLOCKED"
            elif any(f.server_says == said for f in errors):
                verdict = "agree, word for word"
            else:
                verdict = "agree, same rule" if {f.code for f in errors} & set(codes_of(said)) else "OTHER WORDS"
            counted[verdict] += 1
            if verdict.isupper():
                print(f"shot {verdict:12} {name:40} ours: {[f.code for f in errors]} theirs: {said!r}", flush=True)
    return counted


async def _sent(client: Client, workers: Workers, request: Request, out: Path) -> str:
    uploads: list[Upload] = []
    for part in wire_form(request).parts:
        if part.field == "input_references":
            reference = request.shot.reference(part.ref_id)
            facts = request.facts_of(reference) if reference else None
            assert reference is not None and facts is not None
            made = await prepare(workers, facts, reference, out)
            uploads.append(Upload(made.output, made.filename, made.content_type))
    files = await edit_files(workers, request)
    uploads += [Upload(f.path, f.filename, f.content_type, f.field) for f in files]
    try:
        job = await client.create(wire_form(request).fields, uploads)
        while (job := await client.get(job.id)).status not in ("completed", "failed"):
            await asyncio.sleep(_POLL_S)
        await client.delete(job.id)
    except ClientError as error:
        return str(error.params.get("said") or error)
    return job.fault if job.status == "failed" else ""


_THEIRS = """
import json, os, sys, torch
os.environ.setdefault("VLLM_TARGET_DEVICE", "cpu")
operators = torch.library.Library("torchvision", "DEF")  # torchvision's compiled part is missing beside a CPU torch
for name in ("nms", "qnms"):
    operators.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
from vllm_omni.model_executor.models.minimax_h3.encoder_processing import (
    _canonical_audio_edit_mask, _canonical_video_edit_mask)
from vllm_omni.diffusion.models.minimax_h3.latent_mask import minimax_h3_video_edit_masks
for line in sys.stdin:
    case = json.loads(line)
    if case["heard"]:
        mask, blocks = _canonical_audio_edit_mask(case["mask"], audio_t=case["shape"][0]), []
    else:
        t, h, w = case["shape"]
        mask = _canonical_video_edit_mask(case["mask"], latent_t=t, latent_h=h, latent_w=w)
        blocks = minimax_h3_video_edit_masks(mask, latent_t=t, latent_h=h, latent_w=w).model_mask_rows.tolist()
    print(json.dumps({"cells": mask.flatten().tolist(), "blocks": blocks}), flush=True)
"""


def compare_masks(python: str, folder: Path) -> Counter[str]:
    """Our masks as JSON, read by the server's own canonicalisation and by the rehearsal server's."""
    counted: Counter[str] = Counter()
    cases = []
    for name, shot in shots(folder):
        facts = {r.id: probe_file(r.path) for r in shot.references}
        masks = edit_masks(Request(shot, load_limits(), facts))
        for mask in (masks.picture, masks.sound) if masks else ():
            if masks is not None and mask is not None:
                cases.append((name, masks.grid, mask, json.loads(mask_json(mask))))
    lines = [json.dumps({"heard": m.ndim == 1, "shape": m.shape, "mask": plain}) for _, _, m, plain in cases]
    ran = subprocess.run([python, "-c", _THEIRS], input="\n".join(lines), capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    for (name, grid, mask, plain), answer in zip(cases, answers, strict=True):
        wanted = np.tile(mask, 2) if mask.ndim == 1 else mask.ravel()
        theirs, blocks = np.array(answer["cells"]), np.array(answer["blocks"])
        upload = EditUpload(audio_mask=plain) if mask.ndim == 1 else EditUpload(video_mask=plain, source_video=Path())
        same = np.allclose(theirs, wanted, atol=1e-3) and _rehearsed(upload, grid, folder, wanted)
        # The server rounds what the model is told up to 256 levels.
        same &= mask.ndim == 1 or np.allclose(blocks, model_mask(mask).ravel(), atol=1 / 256)
        counted["masks agree" if same else "masks DIFFER"] += 1
        if not same:
            print(f"mask {name}: {np.abs(theirs - wanted).max():.3f}", flush=True)
    return counted


def _rehearsed(upload: EditUpload, grid: Any, folder: Path, wanted: Any) -> bool:
    source = folder / "heard.mp4"
    heard = EditUpload(upload.video_mask, upload.audio_mask, source, None)
    edit = resolve_edit(heard, grid.width, grid.height, grid.frames, continues=False, locked=False)
    mask = None if edit is None else edit.audio_mask if edit.video_mask is None else edit.video_mask
    return mask is not None and np.allclose(mask.ravel(), wanted, atol=1e-3)


def make_material(folder: Path) -> tuple[bytes, bytes, bytes]:
    """Clips and sounds; gives the bytes of one with sound, one without, and a sound."""
    write_clip(folder / "heard.mp4", frames=107, sound=clicks(4.4, 32_000), sound_rate=32_000)
    write_clip(folder / "silent.mp4", frames=107)
    write_clip(folder / "wide.mp4", frames=120, size=(512, 256), sound=clicks(5, 32_000), sound_rate=32_000)
    write_clip(folder / "short.mp4", frames=60, sound=clicks(2.4, 32_000), sound_rate=32_000)
    with wave.open(str(folder / "drive.wav"), "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(32_000)
        out.writeframes((clicks(4.4, 32_000).T * 32767).astype("<i2").tobytes())
    Image.new("RGB", (_SIZE, _SIZE), (200, 80, 40)).save(folder / "still.png")
    names = ("heard.mp4", "silent.mp4", "drive.wav")
    return tuple((folder / name).read_bytes() for name in names)  # type: ignore[return-value]


async def main(url: str, python: str | None) -> None:
    """Print all that is not agreement, and the counts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        material = make_material(folder)
        argv = own_argv("rehearse", "--port", "0", "--step-seconds", "0.01", "--exit-with-parent")
        program = await asyncio.create_subprocess_exec(*argv, stdout=asyncio.subprocess.PIPE)
        assert program.stdout is not None
        peer = Peer(url, json.loads(await program.stdout.readline())["url"])
        try:
            print("forms:", dict(await compare_forms(peer, material)), flush=True)
            print("shots:", dict(await compare_shots(url, folder)), flush=True)
        finally:
            await peer.aclose()
            if program.returncode is None:
                program.terminate()
            await program.wait()
        if python is not None:
            print("masks:", dict(await asyncio.to_thread(compare_masks, python, folder)), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
