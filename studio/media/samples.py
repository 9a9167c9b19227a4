"""Sample media of our own, made and not taken: `python -m studio.media.samples DIR` writes the set that is shipped."""

from __future__ import annotations

import sys
import wave
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import numpy as np
import numpy.typing as npt
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Colorspace
from av.video.stream import VideoStream
from PIL import Image

from studio.media.scene import Scene

SAMPLE_RATE: Final = 48_000
_BLOCK: Final = 1024  # samples of one AAC frame
_BT709: Final = 1  # ISO/IEC 23091-2: primaries, transfer and matrix alike
_CHORD: Final = (220.0, 277.18, 329.63, 415.3)  # A major seventh, Hz
_CLICK_S: Final = 0.005


def write_clip(
    path: Path,
    *,
    seconds: float,
    width: int,
    height: int,
    fps: Fraction | int = 24,
    rotation: int = 0,
    sound: bool = True,
    seed: int = 0,
    gop: int = 48,
    preset: str = "medium",
    crf: int = 23,
    drawn_width: int | None = None,
) -> None:
    """Write an H.264 + AAC MP4 of the scene.

    `width` × `height` (even) as shown; with `rotation` (degrees clockwise that a player turns the stored picture: 0,
    90, 180, 270) it is stored turned back, as phones do. Frames: `seconds` × `fps`, rounded. `drawn_width`: draw
    smaller and scale up, which is fast. The sound ends with the picture.
    """
    rate = Fraction(fps)
    frames = round(seconds * rate)
    turned = rotation % 180 == 90
    with av.open(str(path), "w", format="mp4", container_options={"movflags": "+faststart"}) as box:
        video = box.add_stream("libx264", rate=rate)
        video.width, video.height = (height, width) if turned else (width, height)
        video.pix_fmt = "yuv420p"
        video.gop_size = gop
        video.options = {"preset": preset, "crf": str(crf)}
        context = video.codec_context
        context.color_primaries = context.color_trc = context.colorspace = _BT709
        context.color_range = int(ColorRange.MPEG)
        if rotation:
            video.set_display_rotation(-rotation)
        audio = box.add_stream("aac", rate=SAMPLE_RATE, layout="stereo") if sound else None
        samples = _blocks(chord(round(frames / rate * SAMPLE_RATE), seed)) if audio else iter(())
        scene = Scene(drawn_width or width, height * (drawn_width or width) // width, seed)
        for n in range(frames):
            picture = scene.picture(float(n / rate))
            _add_picture(box, video, np.rot90(picture, rotation // 90), n, rate)
            if audio is not None:
                _add_sound(box, audio, samples, until=float((n + 1) / rate))
        box.mux(video.encode(None))
        if audio is not None:
            _add_sound(box, audio, samples, until=float("inf"))
            box.mux(audio.encode(None))


def write_still(path: Path, width: int, height: int, *, seed: int = 0, at: float = 2.0) -> None:
    """Write the scene at `at` seconds as a picture; the suffix names the format."""
    Image.fromarray(Scene(width, height, seed).picture(at)).save(path, quality=90)


def write_sound(path: Path, seconds: float, *, seed: int = 0, sample_rate: int = 24_000) -> None:
    """Write the chord with a click at every whole second as 16-bit mono WAV."""
    mono = chord(round(seconds * sample_rate), seed, sample_rate).mean(axis=0)
    with wave.open(str(path), "wb") as fp:
        fp.setnchannels(1)
        fp.setsampwidth(2)
        fp.setframerate(sample_rate)
        fp.writeframes((mono * 32_767).astype("<i2").tobytes())


def chord(samples: int, seed: int = 0, sample_rate: int = SAMPLE_RATE) -> npt.NDArray[np.float32]:
    """(2, samples) float32: a soft chord that swells, with a 5 ms click at every whole second. Peaks under 0.9."""
    t = np.arange(samples, dtype=np.float32) / np.float32(sample_rate)
    pitch = 2 ** (seed % 12 / 12)
    sides = []
    for side in (0.0, 0.7):
        tones = [
            np.sin(2 * np.pi * f * pitch * t + side) * (1 + np.sin(t * (0.9 + k) + side)) for k, f in enumerate(_CHORD)
        ]
        sides.append(sum(tones) * np.float32(0.05))
    sound = np.stack(sides).astype(np.float32)
    click = np.sin(2 * np.pi * 2000 * t) * ((t % 1.0) < _CLICK_S) * 0.45
    fade = np.minimum(1, np.minimum(t, t[::-1]) / 0.02) if samples else t
    return np.asarray(sound * fade + click, np.float32)


def make_samples(folder: Path) -> None:
    """Write the set that the program ships with: one clip, two pictures, one sound."""
    folder.mkdir(parents=True, exist_ok=True)
    write_clip(folder / "boat.mp4", seconds=124 / 24, width=640, height=360, preset="slow", crf=29)
    write_still(folder / "still-a.jpg", 960, 540, seed=1)
    write_still(folder / "still-b.jpg", 720, 960, seed=2)
    write_sound(folder / "theme.wav", 3.0, seed=5)


def demo_clip(path: Path) -> None:
    """What a phone makes: 60 fps, 905 frames (15.083 s), shown 1080 × 1920, stored 1920 × 1080 with a 90° turn."""
    write_clip(
        path,
        seconds=905 / 60,
        width=1080,
        height=1920,
        fps=60,
        rotation=90,
        seed=1,
        gop=60,
        preset="ultrafast",
        crf=26,
        drawn_width=270,
    )


def _add_picture(box: OutputContainer, stream: VideoStream, rgb: npt.NDArray[np.uint8], n: int, rate: Fraction) -> None:
    picture = VideoFrame.from_ndarray(np.ascontiguousarray(rgb), format="rgb24")
    stored = picture.reformat(
        stream.width,
        stream.height,
        "yuv420p",
        src_colorspace=Colorspace.ITU709,
        dst_colorspace=Colorspace.ITU709,
        dst_color_range=ColorRange.MPEG,
    )
    stored.pts, stored.time_base = n, 1 / rate
    box.mux(stream.encode(stored))


def _blocks(samples: npt.NDArray[np.float32]) -> Iterator[AudioFrame]:
    for start in range(0, samples.shape[1], _BLOCK):
        block = np.ascontiguousarray(samples[:, start : start + _BLOCK])
        frame = AudioFrame.from_ndarray(block, format="fltp", layout="stereo")
        frame.sample_rate, frame.pts, frame.time_base = SAMPLE_RATE, start, Fraction(1, SAMPLE_RATE)
        yield frame


def _add_sound(box: OutputContainer, stream: AudioStream, blocks: Iterator[AudioFrame], *, until: float) -> None:
    """Encode the sound up to `until` seconds, so that picture and sound lie side by side in the file."""
    for frame in blocks:
        box.mux(stream.encode(frame))
        if (frame.pts or 0) / SAMPLE_RATE >= until:
            return


if __name__ == "__main__":
    make_samples(Path(sys.argv[1]))
