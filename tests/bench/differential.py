"""The rehearsal server against another server of the same contract: recorded and random requests to both.

    python tests/bench/differential.py PEER_URL [--random 300] [--seed 1] [--media DIR] [--only TEXT]

Statuses, shapes, sentences and outcomes must agree; what may differ stands in tests/data/known_differences.json with
the fact that explains it. Exit code 1 when something else differs. The peer may shrink its pictures: sizes are compared
by their shape there, and with the recorded sizes here. Files of the media generator are taken from --media, and the
cases that need them are left out without it.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import mimetypes
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
import httpx
from rehearsal_files import Maker

DATA = Path(__file__).parents[1] / "data"
ENDED = ("completed", "failed")
POST_SECONDS, JOB_SECONDS = 120, 180


@dataclass
class Request:
    """One form. `files`: field name, file name, bytes, content type. `recorded`: frames, width, height, if known."""

    name: str
    fields: dict[str, str]
    files: list[tuple[str, str, bytes, str]] = field(default_factory=list)
    recorded: tuple[int | None, int | None, int | None] = (None, None, None)


@dataclass(frozen=True)
class Outcome:
    """What a server made of it. `shape`: key names of the answers; `picture`: frames, width, height."""

    status: int
    said: str
    shape: tuple[str, ...]
    picture: tuple[int, int, int] | None = None

    def agrees(self, other: Outcome) -> bool:
        """Equal, but for the picture's size, of which only the ratio must be near."""
        if (self.status, self.said, self.shape) != (other.status, other.said, other.shape):
            return False
        if self.picture is None or other.picture is None:
            return self.picture is other.picture
        (frames, width, height), (n, w, h) = self.picture, other.picture
        return frames == n and abs(width / height - w / h) < 0.06 * width / height


def outcome(http: httpx.Client, request: Request) -> Outcome:
    """Send it, follow its job to the end, look at the result and delete it."""
    parts: list[tuple[str, Any]] = [(name, (None, value)) for name, value in request.fields.items()]
    parts += [(name, (file, data, kind)) for name, file, data, kind in request.files]
    answer = http.post("/v1/videos", files=parts, timeout=POST_SECONDS)
    body = answer.json()
    if answer.status_code != 200:
        return Outcome(answer.status_code, _clean(json.dumps(body, sort_keys=True)), tuple(body))
    path = f"/v1/videos/{body['id']}"
    end = time.monotonic() + JOB_SECONDS
    while (job := http.get(path, timeout=60)).json()["status"] not in ENDED:
        if time.monotonic() > end:
            http.delete(path)
            return Outcome(0, "never ends", tuple(body))
        time.sleep(0.02)
    record = job.json()
    if record["status"] == "failed":
        found = Outcome(job.status_code, _clean(json.dumps(record["error"])), tuple(record))
    else:
        found = Outcome(job.status_code, "", tuple(record), _picture(http.get(f"{path}/content").content))
        assert record["num_frames"] == found.picture[0]
    http.delete(path)
    return found


def _picture(data: bytes) -> tuple[int, int, int]:
    with av.open(io.BytesIO(data)) as container:
        stream = container.streams.video[0]
        return stream.frames, stream.width, stream.height


def _clean(text: str) -> str:
    text = re.sub(r"(?:<tmp>|/)[\w./<>-]*vllm_omni_reference_\w+(\.\w+)", r"<tmp>\1", text)
    return re.sub(r"pydantic\.dev/[\d.]+/", "pydantic.dev/", text)


def recorded_requests(maker: Maker) -> Iterator[Request]:
    """Every case of live_requests.json whose files can be made."""
    cases = json.loads((DATA / "vectors" / "live_requests.json").read_text())["cases"]
    recipes = {file["made_by"] for case in cases for file in case["files"]}
    for recipe in sorted(recipes, key=lambda text: " padded to " in text or text.startswith("first ")):
        maker.make(recipe)  # those made from another file come last
    for case in cases:
        paths = [maker.make(file["made_by"]) for file in case["files"]]
        if None in paths:
            print(f"left out, needs --media: {case['name']}")
            continue
        request = Request(case["name"], dict(case["fields"]))
        if case["verdict"] == "accepted":
            request.recorded = case["frames"], case["width"], case["height"]
        for file, path in zip(case["files"], paths, strict=True):
            _attach(request, file, path)
        yield request


def _attach(request: Request, file: dict[str, Any], path: Path) -> None:
    sent = file.get("sent_as", {})
    name = sent.get("filename", path.name)
    kind = sent.get("content_type") or mimetypes.guess_type(name)[0] or "application/octet-stream"
    place = file.get("field", "input_references")
    if place in ("image_reference", "video_reference", "audio_reference"):
        data = base64.b64encode(path.read_bytes()).decode()
        url = f"data:{kind};base64,{data}"
        request.fields[place] = json.dumps({f"{place.partition('_')[0]}_url": url})
    else:
        request.files.append((place, name, path.read_bytes(), kind))


_POOL: dict[str, tuple[str, ...]] = {
    "seconds": ("4", "5", "4", "6", "3", "16", "4.5", "x", "04", ""),
    "aspect_ratio": ("16:9", "1:1", "9:16", "4:3", "2:1", "auto", "adaptive", "1.7777777778", "", " 16:9"),
    "width": ("256", "256", "320", "0", "31", "-5", "2000", "a"),
    "height": ("256", "256", "320", "64", "0", "1e3"),
    "size": ("256x256", "320x256", "0x0", "100x20", "big", "256X256"),
    "num_inference_steps": ("1", "2", "3", "0", "201", "2.0", "many"),
    "fps": ("24", "24.5", "30", "0", "nan", "inf"),
    "seed": ("1", "-1", "9223372036854775808", "1.5"),
    "num_frames": ("107", "100", "80", "1", "0", "362", "400"),
    "short_edge": ("768", "512", "0"),
    "flow_shift": ("12", "0", "-3", "1e400", "text"),
    "guidance_scale": ("1", "21", "-1"),
    "quality": ("high", "lossless", "low"),
    "num_outputs_per_prompt": ("1", "2", "11", "0"),
    "start_time_seconds": ("0", "0.5", "-1", "50"),
    "negative_prompt": ("", "rain"),
    "generate_sound": ("true", "off", "maybe"),
    "lora": ("{}", "[]", '{"name":"a"}', "no"),
    "model": ("", "nope", "MiniMaxAI/MiniMax-H3"),
    "user": ("me",),
    "no_such_field": ("1",),
    "input_reference": ("text",),
    "image_reference": ('{"file_id":"a"}', '{"image_url":"file:///a"}', '{"image_url":"data:image/png;base64,AAAA"}'),
}
_EXTRA: dict[str, tuple[Any, ...]] = {
    "task": ("t2va", "fl2va", "ref2va", "REF2VA", "i2v", 5, ""),
    "duration": (4, 4.5, "5", 3.99, 15.01, True, None, "x"),
    "duration_seconds": (5, 20),
    "target": ({"duration_seconds": 4}, {"aspect_ratio": "1:1"}, "text", {"short_edge": 512}, {"frame_index": 0}),
    "audio_mode": ("native", "lock_source", "x"),
    "long_video": (True, "yes"),
    "frame_indices": ([0], [-1], [0, -1], [1], [], 0, "0", [True]),
    "aspect_ratio": ("16:9", 1, "x", None),
    "short_edge": (768, 512, "768", True),
    "audio_flow_shift": (3, 0),
    "start_time_seconds": (0.5, [0.5], [0, 0], 99),
    "preencode_batch_frames": (17, 0, "x"),
    "no_such_key": (1,),
}


def random_requests(count: int, seed: int, files: list[Path]) -> Iterator[Request]:
    """Mostly sound requests with one to four fields from the pools, some of them wrong, and up to three files."""
    rng = random.Random(seed)
    for number in range(count):
        fields = {"prompt": "a red kite", "width": "256", "height": "256", "num_inference_steps": "1", "seed": "3"}
        fields |= {"seconds": "4", "aspect_ratio": "1:1"}
        for name in rng.sample(list(_POOL), rng.randint(0, 3)):
            fields[name] = rng.choice(_POOL[name])
        if rng.random() < 0.1:
            del fields[rng.choice(list(fields))]
        extra = {name: rng.choice(_EXTRA[name]) for name in rng.sample(list(_EXTRA), rng.randint(0, 2))}
        if extra:
            fields["extra_params"] = json.dumps(extra)
        request = Request(f"random {seed}/{number}", fields)
        for path in rng.choices(files, k=rng.choice((0, 0, 1, 1, 2, 3))):
            _attach(request, {}, path)
        yield request


def start_rehearsal(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A rehearsal server whose steps take no time, and its address."""
    argv = [sys.executable, "-m", "studio.rehearsal", "--step-seconds", "0", "--exit-with-parent"]
    with (folder / "rehearsal.err").open("wb") as errors, (folder / "rehearsal.out").open("wb") as out:
        child = subprocess.Popen(argv, stdout=out, stderr=errors)
    while b"\n" not in (head := (folder / "rehearsal.out").read_bytes()):
        time.sleep(0.05)
    url = json.loads(head.partition(b"\n")[0])["url"]
    with httpx.Client(transport=httpx.HTTPTransport(retries=30)) as http:
        http.get(f"{url}/health")
    return child, url


def known_difference(request: Request, ours: Outcome, theirs: Outcome, known: list[dict[str, str]]) -> str | None:
    """The fact that explains this difference, if it is a known one."""
    asked = f"{request.name} {json.dumps(request.fields)}"
    text = f"{asked}\nours {ours.status} {ours.said}\npeer {theirs.status} {theirs.said}"
    return next((entry["fact"] for entry in known if re.search(entry["match"], text, re.DOTALL)), None)


def main() -> int:
    """Compare; print each difference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer")
    parser.add_argument("--random", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--media", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    known = json.loads((DATA / "known_differences.json").read_text())["differences"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        maker = Maker(folder, options.media)
        requests = list(recorded_requests(maker))
        pool = [path for path in folder.iterdir() if path.suffix != ".m4v" and path.stat().st_size < 1 << 20]
        requests += random_requests(options.random, options.seed, sorted(pool))
        child, url = start_rehearsal(folder)
        try:
            return compare([r for r in requests if options.only in r.name], url, options.peer, known)
        finally:
            child.terminate()
            child.wait()


def compare(requests: list[Request], url: str, peer: str, known: list[dict[str, str]]) -> int:
    """Send all to both and count. 1: something differs that is not known."""
    agreed = explained = 0
    unknown = []
    with httpx.Client(base_url=url) as here, httpx.Client(base_url=peer) as there:
        for request in requests:
            ours, theirs = outcome(here, request), outcome(there, request)
            if any(
                told not in (None, seen) for told, seen in zip(request.recorded, ours.picture or (0, 0, 0), strict=True)
            ):
                unknown.append(f"{request.name}: {ours} is not the recorded {request.recorded}")
                print(f"DIFFERS: {unknown[-1]}", flush=True)
            elif ours.agrees(theirs):
                agreed += 1
            elif fact := known_difference(request, ours, theirs, known):
                explained += 1
                print(f"known: {request.name}: {fact}", flush=True)
            else:
                files = [file[1] for file in request.files]
                fields = {k: v[:80] for k, v in request.fields.items()}
                unknown.append(f"{request.name} {fields} {files}\n  ours {ours}\n  peer {theirs}")
                print(f"DIFFERS: {unknown[-1]}", flush=True)
    print(f"{len(requests)} requests: {agreed} agree, {explained} known differences, {len(unknown)} unknown")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
