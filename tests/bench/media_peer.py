"""Whether a server takes every file that we prepare and `check` passes, each as a reference of a render of its own.

    python -m tests.bench.media_peer http://127.0.0.1:8099 FILE-OR-FOLDER…

Made for a vLLM-Omni server without weights and with tiny pictures, where a job takes about a second. Exit 1 when the
server refused a file that we let through.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from studio.client import Client, ClientError, Upload
from studio.contract import MediaFacts, Reference, Request, Shot, check, load_limits, wire_form
from studio.core.errors import StudioError
from studio.media.prepare import Prepared, prepare
from studio.media.probe import probe
from studio.media.workers import Workers
from tests.helpers import barcode

_POLL_S = 0.1


def files(places: list[str]) -> Iterator[Path]:
    """The files named, and all files in the folders named."""
    for place in map(Path, places):
        yield from sorted(p for p in place.rglob("*") if p.is_file()) if place.is_dir() else [place]


class Peer:
    """Prepares one file at a time and sends it; a sound goes with a picture, since it may not go alone."""

    def __init__(self, client: Client, workers: Workers, folder: Path) -> None:
        self._client, self._workers, self._folder = client, workers, folder
        self._companion = folder / "companion.png"
        Image.fromarray(barcode.picture(1, 256, 256)).save(self._companion)

    async def verdict(self, path: Path) -> tuple[str, str]:
        """What came of a file, in a word, and the sentence that goes with it."""
        try:
            facts = await probe(self._workers, path)
            request = await self._request(path, facts)
            if errors := [f for f in check(request) if f.is_error]:
                return "refused by check", errors[0].message.text()
            made = [await self._prepared(request, r) for r in request.shot.references]
        except StudioError as error:
            return "refused by probe", error.text()
        said = await self._said(request, made)
        return ("accepted", "") if said is None else ("REFUSED BY THE SERVER", said)

    async def _request(self, path: Path, facts: MediaFacts) -> Request:
        references, known = [Reference(id="r1", path=path, kind=facts.kind)], {"r1": facts}
        if facts.kind == "audio":
            references.append(Reference(id="r2", path=self._companion, kind="image"))
            known["r2"] = await probe(self._workers, self._companion)
        shot = Shot(task="ref2va", prompt="a red kite", frames=107, steps=1, references=tuple(references))
        return Request(shot, load_limits(), known)

    async def _prepared(self, request: Request, reference: Reference) -> Prepared:
        facts = request.facts[reference.id]
        assert isinstance(facts, MediaFacts)
        return await prepare(self._workers, facts, reference, self._folder)

    async def _said(self, request: Request, made: list[Prepared]) -> str | None:
        uploads = [Upload(f.output, f.filename, f.content_type) for f in made]
        try:
            job = await self._client.create(list(wire_form(request).fields), uploads)
            while (job := await self._client.get(job.id)).status not in ("completed", "failed"):
                await asyncio.sleep(_POLL_S)
            await self._client.delete(job.id)
        except ClientError as error:
            return str(error.params.get("said") or error)
        return job.fault if job.status == "failed" else None


async def main(url: str, places: list[str]) -> int:
    """Print a line for each file that was not simply accepted, then the counts."""
    counted: Counter[str] = Counter()
    workers = Workers()
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with Client(url) as client:
                peer = Peer(client, workers, Path(folder))
                for path in files(places):
                    verdict, sentence = await peer.verdict(path)
                    counted[verdict] += 1
                    if sentence:
                        line = f"{verdict:22} {path.name}: {sentence}"
                        print(line.encode("utf-8", "replace").decode(), flush=True)
    finally:
        await workers.aclose()
    print(f"\n{counted.total()} files:", ", ".join(f"{count} {verdict}" for verdict, count in counted.most_common()))
    return 1 if counted["REFUSED BY THE SERVER"] else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2:])))
