"""The machine's sound output, by QtMultimedia; which is loaded when there is something to hear."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QByteArray, QIODevice

from studio.media.sound import RATE

if TYPE_CHECKING:
    from PySide6.QtMultimedia import QAudioDevice, QAudioFormat


class DeviceOutput:
    """Plays 16-bit stereo at `studio.media.sound.RATE` on one device."""

    def __init__(self, device: QAudioDevice, layout: QAudioFormat) -> None:
        from PySide6.QtMultimedia import QAudioSink

        self._sink = QAudioSink(device, layout)
        self._buffer = QBuffer()

    def start(self, samples: NDArray[np.int16]) -> None:
        """Play (n, 2) samples, instead of what plays."""
        self.stop()
        self._buffer.setData(QByteArray(np.ascontiguousarray(samples).tobytes()))
        self._buffer.open(QIODevice.OpenModeFlag.ReadOnly)
        self._sink.start(self._buffer)

    def played(self) -> float:
        """Seconds that were played since `start`."""
        return self._sink.processedUSecs() / 1e6

    def stop(self) -> None:
        """Be silent."""
        self._sink.stop()
        self._buffer.close()


def likely() -> bool:
    """Whether there may be an output: a sound server's socket or a sound card. Asking Qt would take seconds."""
    if not sys.platform.startswith("linux"):
        return True
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", "/nowhere"))
    sockets = (runtime / "pulse" / "native", runtime / "pipewire-0")
    return "PULSE_SERVER" in os.environ or any(map(Path.exists, sockets)) or any(Path("/dev/snd").glob("pcm*p"))


async def find() -> DeviceOutput | None:
    """The system's own choice of a device; None when there is none, or none that takes our samples."""
    await asyncio.to_thread(importlib.import_module, "PySide6.QtMultimedia")
    from PySide6.QtMultimedia import QAudioFormat, QMediaDevices

    device = QMediaDevices.defaultAudioOutput()
    layout = QAudioFormat()
    layout.setSampleRate(RATE)
    layout.setChannelCount(2)
    layout.setSampleFormat(QAudioFormat.SampleFormat.Int16)
    if device.isNull() or not device.isFormatSupported(layout):
        return None
    return DeviceOutput(device, layout)
