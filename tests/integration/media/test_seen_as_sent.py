"""What is seen of a clip, on its card and in the viewer, is what is sent: upright, progressive, SDR, opaque."""

from __future__ import annotations

import io
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from studio.contract.shot import Preparation, Reference
from studio.media.frames import Clip
from studio.media.prepare import prepare
from studio.media.probe import probe_file
from studio.media.thumbs import thumbnail_png
from studio.media.workers import Workers
from tests.helpers import barcode
from tests.helpers.media_factory import HLG, Colour, change_codes, write_clip

Pixels = npt.NDArray[np.uint8]

PQ = Colour(9, 16, 9)
SHOWN = 9


def hdr(path: Path, colour: Colour, rotation: int = 0) -> Path:
    x265 = {"x265-params": f"log-level=none:colorprim=9:transfer={colour.transfer}:colormatrix=9"}
    kind = {"codec": "libx265", "pix_fmt": "yuv420p10le", "colour": colour, "options": x265}
    return write_clip(path, frames=24, size=(320, 256), rotation=rotation, **kind)  # type: ignore[arg-type]


def interlaced(path: Path) -> Path:
    options = {"flags": "+ilme+ildct", "b": "4000000"}
    return write_clip(path, codec="mpeg2video", fps=25, frames=50, size=(320, 256), fields=True, options=options)


def see_through(path: Path, codec: str) -> Path:
    """Opaque red on the right; on the left nothing, under which green is hidden."""
    rgba = np.zeros((256, 256, 4), np.uint8)
    rgba[..., 1] = 255
    rgba[:, 128:] = (255, 0, 0, 255)
    with av.open(str(path), "w") as box:
        stream = box.add_stream(codec, rate=24)
        stream.width, stream.height = 256, 256
        stream.pix_fmt = "argb" if codec == "qtrle" else "yuva420p"
        stream.options = {} if codec == "qtrle" else {"auto-alt-ref": "0"}
        for n in range(24):
            frame = av.VideoFrame.from_ndarray(rgba, format="rgba").reformat(format=stream.pix_fmt)
            frame.pts, frame.time_base = n, Fraction(1, 24)
            box.mux(stream.encode(frame))
        box.mux(stream.encode(None))
    return path


CLIPS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "hlg.mov": (lambda path: hdr(path, HLG, rotation=90), "tone_mapped"),
    "pq.mp4": (lambda path: hdr(path, PQ), "tone_mapped"),
    "wide.mp4": (lambda path: hdr(path, Colour(9, 1, 9)), "colour"),
    "interlaced.mpg": (interlaced, "deinterlaced"),
    "alpha.webm": (lambda path: see_through(path, "libvpx-vp9"), "alpha.black"),
    "alpha8.webm": (lambda path: see_through(path, "libvpx"), "alpha.black"),
    "alpha.mov": (lambda path: see_through(path, "qtrle"), "alpha.black"),
}


@pytest.mark.parametrize("name", CLIPS)
async def test_thumbnail_viewer_and_upload_show_the_same(workers: Workers, tmp_path: Path, name: str) -> None:
    make, change = CLIPS[name]
    path = make(tmp_path / name)
    made = await prepare(workers, probe_file(path), Reference(id="r1", path=path, kind="video"), tmp_path / "out")
    assert change in change_codes(made.receipt)
    with Image.open(io.BytesIO(thumbnail_png(path, 320, SHOWN / 24))) as small:
        thumb = np.asarray(small)[..., ::-1]
    viewed = await seen(path, tmp_path, SHOWN if name != "interlaced.mpg" else SHOWN * 25 // 24)
    sent = await seen(made.output, tmp_path, SHOWN)
    assert difference(thumb, viewed) < 0.5
    assert difference(viewed, sent) < 4  # what encoding costs
    if "alpha" in name:
        assert sent[128, 40].max() < 8 and np.abs(sent[128, 200].astype(int) - [0, 0, 255]).max() < 12
    elif name != "interlaced.mpg":
        assert barcode.corner_names(viewed) == ["red", "green", "blue", "yellow"]


@pytest.mark.parametrize("name", ["a.mov", "a.png"])
async def test_a_chosen_ground_lies_under_what_is_half_transparent(workers: Workers, tmp_path: Path, name: str) -> None:
    """In the thumbnail, the viewer and the upload alike: half of red, half of the ground."""
    path, ground = half_red(tmp_path / name), "#2060c0"
    reference = Reference(
        id="r1", path=path, kind="image" if name == "a.png" else "video", preparation=Preparation(ground=ground)
    )
    made = await prepare(workers, probe_file(path), reference, tmp_path / "out")
    line = next(change for change in made.receipt.changes if change.code == "change.alpha")
    assert ground in line.message.text()
    with Image.open(io.BytesIO(thumbnail_png(path, 256, 0.0, ground))) as small:
        thumb = np.asarray(small)[..., ::-1]
    for picture in (thumb, await seen(path, tmp_path, 3, ground), await seen(made.output, tmp_path, 3)):
        assert np.abs(picture[128, 40].astype(int) - [0xC0, 0x60, 0x20]).max() <= 4
        assert np.abs(picture[128, 200].astype(int) - [0x60, 0x30, 0x10 + 128]).max() <= 4


def half_red(path: Path) -> Path:
    """Half transparent red on the right; on the left nothing, under which green is hidden. A clip, or a still."""
    rgba = np.zeros((256, 256, 4), np.uint8)
    rgba[..., 1] = 255
    rgba[:, 128:] = (255, 0, 0, 128)
    if path.suffix == ".png":
        Image.fromarray(rgba).save(path)
        return path
    with av.open(str(path), "w") as box:
        stream = box.add_stream("qtrle", rate=24)
        stream.width, stream.height, stream.pix_fmt = 256, 256, "argb"
        for n in range(24):
            frame = av.VideoFrame.from_ndarray(rgba, format="rgba").reformat(format="argb")
            frame.pts, frame.time_base = n, Fraction(1, 24)
            box.mux(stream.encode(frame))
        box.mux(stream.encode(None))
    return path


async def seen(path: Path, folder: Path, n: int, ground: str | None = None) -> Pixels:
    """Picture n in the viewer, or the only one, (height, width, 3) B, G, R."""
    clip = await Clip.open(path, folder=folder / "cache", ground=ground)
    try:
        return (await clip.frame(min(n, clip.info.frames - 1)))[..., :3].copy()
    finally:
        await clip.aclose()


def difference(a: Pixels, b: Pixels) -> float:
    assert a.shape == b.shape
    return float(np.abs(a.astype(int) - b).mean())


async def test_no_combs_in_the_viewer_in_whatever_order_one_looks(tmp_path: Path) -> None:
    path = interlaced(tmp_path / "a.mpg")
    with av.open(str(path)) as box:
        raw = [frame.to_ndarray(format="bgr24") for frame in box.decode(video=0)]
    clip = await Clip.open(path, folder=tmp_path / "cache")
    try:
        for n in (40, 3, 49, 17, 0):
            picture = (await clip.frame(n))[..., :3]
            assert combs(picture) < 0.5 * combs(raw[n]) or combs(raw[n]) < 1, n
            assert barcode.read(picture) == n
    finally:
        await clip.aclose()


def combs(picture: Pixels) -> float:
    rows = picture[10:80].astype(float)
    return float(np.abs(rows[1:-1] * 2 - rows[:-2] - rows[2:]).mean())
