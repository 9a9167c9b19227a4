"""An upload that is cancelled before all of it has gone: no server makes a job of that, so nobody is asked."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from PIL import Image

from studio.contract import Canvas, Reference
from studio.jobs import JobState, Target
from tests.helpers.jobs import bench, small_shot
from tests.helpers.narrow_way import narrow_way
from tests.helpers.waiting import until

S = JobState


async def test_half_an_upload_is_cancelled_at_once(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (1600, 1600, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "noise.png")
    picture = Reference(id="r1", path=tmp_path / "noise.png", kind="image")
    shot = small_shot(task="ref2va", prompt="@{r1} in the rain", references=(picture,), canvas=Canvas(aspect="1:1"))
    async with bench() as b:
        server = await b.servers.launcher.start()
        b.servers.started.append(server)
        port = urlsplit(server.url or "").port
        assert port is not None
        async with narrow_way(port, lets_through=100_000) as way:
            job = await b.service.submit(shot, Target(kind="url", url=way.url))
            await until(lambda: b.live(job.id).progress.fraction and b.live(job.id).state is S.UPLOADING, "the upload")
            asked = len(way.asked)
            ended = await b.service.cancel(job.id)
            assert (ended.state, ended.fault) == (S.CANCELLED, None)
            assert b.store.changes(job.id)[-1]["cause"] == "cancelled before it had gone up whole"
            assert len(way.asked) == asked, "nobody is asked for what cannot be there"
