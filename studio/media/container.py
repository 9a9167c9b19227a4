"""Opening a media file with FFmpeg: only local files, only real containers, errors in our words."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, overload

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.stream import Disposition
from av.video.codeccontext import VideoCodecContext
from av.video.stream import VideoStream

from studio.core.errors import StudioError
from studio.media.errors import MediaError, as_media_error, os_code
from studio.media.sniff import incomplete_mp4, kind_of_bytes

HEAD: Final = 4096

# Playlists and scripts (hls, dash, concat, sdp, image sequences) name other files and hosts: a clip never is one.
_FORMATS: Final = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,asf,flv,gif,mxf,ogg,nut,ivf,dv,"
    "wav,w64,mp3,flac,aac,aiff,caf,au,amr,ac3,eac3,dts,ape,wv,tta"
)
_FILES: Final = {"protocol_whitelist": "file", "format_whitelist": _FORMATS}
_LITTLE: Final = {"probesize": "500000"}
_NO_PICTURES: Final = [{"skip_frame": "all"}] * 64
_WITH_ALPHA: Final = {"vp8": "libvpx", "vp9": "libvpx-vp9"}


def read_head(path: Path) -> bytes:
    """The first bytes of a regular file. Raises MediaError at once for anything else; a FIFO is never opened."""
    name = path.name
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise MediaError("media.not_a_file", name=name, what=_special(mode))
        with path.open("rb") as fp:
            head = fp.read(HEAD)
    except (OSError, ValueError) as error:
        raise as_media_error(error, name=name) from error
    if not head:
        raise MediaError("media.empty", name=name)
    return head


def _special(mode: int) -> str:
    kinds = {
        stat.S_IFDIR: "folder",
        stat.S_IFIFO: "pipe",
        stat.S_IFSOCK: "socket",
        stat.S_IFCHR: "device",
        stat.S_IFBLK: "device",
    }
    return kinds.get(stat.S_IFMT(mode), "special file")


@contextmanager
def open_media(path: Path, *, decode: bool = True) -> Iterator[InputContainer]:
    """The demuxer of a local media file.

    FFmpeg decodes up to twenty pictures while it opens a file, a third of a second for 4K H.264; without `decode` it
    takes what the headers say, and the pixel format may be missing. Raises MediaError: `media.not_media`,
    `media.incomplete` (no index), `media.damaged`, or the file system's reasons. Errors while reading inside the block
    become `media.damaged` too.
    """
    head = read_head(path)
    try:
        with _opened(path, decode=decode) as box:
            yield box
    except av.FFmpegError as error:
        raise _refused(path, head, error) from error


def _opened(path: Path, *, decode: bool) -> InputContainer:
    name = f"file:{os.fspath(path)}"
    if not decode:
        with suppress(ValueError):  # program streams show what is in them only while they are read
            return av.open(
                name,
                options=_FILES | _LITTLE,
                stream_options=_NO_PICTURES,  # type: ignore[arg-type]  # dictionaries, whatever PyAV's stub says
                metadata_errors="replace",
            )
    return av.open(name, options=_FILES, metadata_errors="replace")


def _refused(path: Path, head: bytes, error: Exception) -> StudioError:
    # The disk may be the one that is written to meanwhile. FFmpeg's readers say EPERM and EIO where they mean "failed".
    code = os_code(error)
    if code in ("media.disk_full", "media.memory") or (code == "media.io" and not _gives_all(path)):
        return as_media_error(error, name=path.name)
    what = kind_of_bytes(head)
    if what is not None:
        return MediaError("media.not_media", name=path.name, what=what)
    if incomplete_mp4(path):
        return MediaError("media.incomplete", name=path.name, detail=str(error))
    return MediaError("media.damaged", name=path.name, detail=str(error))


def _gives_all(path: Path) -> bool:
    """Whether the disk gives the whole file."""
    try:
        with path.open("rb") as fp:
            while fp.read(1 << 20):
                pass
    except OSError:
        return False
    return True


def picture_tracks(box: InputContainer) -> list[VideoStream]:
    """The streams of moving pictures, in the file's order; cover art is none."""
    not_moving = Disposition.attached_pic | Disposition.timed_thumbnails
    return [s for s in box.streams.video if not s.disposition & not_moving and s.codec_context is not None]


def picture_track(box: InputContainer) -> VideoStream | None:
    """The stream that counts, everywhere: the largest picture, of equally large ones the first."""
    return max(picture_tracks(box), key=lambda s: s.codec_context.width * s.codec_context.height, default=None)


def sound_track(box: InputContainer) -> AudioStream | None:
    """The sound that counts, everywhere: the first that can be decoded. (Phones add tracks that no one else reads.)"""
    return next((s for s in box.streams.audio if s.codec_context is not None), None)


def rewind(box: InputContainer, stream: VideoStream | AudioStream) -> None:
    """Read `stream` from its beginning again. (Seeking by another stream may land after it.)"""
    start = min(0, stream.start_time or 0)
    second = int(1 / stream.time_base) if stream.time_base else 0
    try:
        # Coder delay lies before the start: a seek that lands after it loses the first real samples.
        box.seek(start - second, stream=stream)
    except av.FFmpegError:
        # MP3 and GIF know nothing before it.
        box.seek(start, stream=stream)
    stream.codec_context.flush_buffers()


def seek(box: InputContainer, stream: VideoStream | AudioStream, seconds: float) -> None:
    """Read `stream` from the last key frame that is not after `seconds` on the container's clock."""
    first = stream.start_time or 0
    wanted = int(seconds / stream.time_base) if stream.time_base else 0
    if wanted <= first:
        rewind(box, stream)
    else:
        box.seek(wanted, stream=stream)
        stream.codec_context.flush_buffers()


@overload
def decoded(box: InputContainer, stream: VideoStream) -> Iterator[av.VideoFrame]: ...
@overload
def decoded(box: InputContainer, stream: AudioStream) -> Iterator[av.AudioFrame]: ...
def decoded(
    box: InputContainer, stream: VideoStream | AudioStream
) -> Iterator[av.VideoFrame] | Iterator[av.AudioFrame]:
    """The frames of a stream from where it stands. Packets that are no media (a tag, a torn end) are passed over."""
    decoder = stream.codec_context if isinstance(stream, AudioStream) else picture_decoder(stream)
    for packet in box.demux(stream):
        try:
            yield from decoder.decode(packet)
        except av.InvalidDataError:
            continue


def picture_decoder(stream: VideoStream) -> VideoCodecContext:
    """The decoder of a stream: its own, or a new one of libvpx where a WebM has alpha, which FFmpeg's own leave out."""
    own = stream.codec_context
    if own.name not in _WITH_ALPHA or stream.metadata.get("alpha_mode") != "1":
        return own
    decoder = av.CodecContext.create(_WITH_ALPHA[own.name], "r")
    assert isinstance(decoder, VideoCodecContext)
    return decoder


def promised_seconds(box: InputContainer, stream: VideoStream | AudioStream) -> float:
    """How long the headers say that a stream is; where they do not, how long the file is."""
    if stream.duration and stream.time_base:
        return float(stream.duration * stream.time_base)
    return (box.duration or 0) / av.time_base


def container_name(box: InputContainer) -> str:
    """The usual name of the container: "mp4", "mov", "matroska", "webm", …"""
    if "mp4" in box.format.name.split(","):
        return "mov" if box.metadata.get("major_brand", "").startswith("qt") else "mp4"
    return box.format.name.split(",")[0]
