"""The strip's memory reading: true while a server runs and the window can be seen, nothing is read otherwise."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.core.words import Message
from studio.server import RehearsalLauncher, ServerManager
from studio.settings import SettingsStore
from studio.telemetry import Card, GpuReading, Monitor, Sample
from tests.helpers.waiting import until
from ui.memory_gauge import MemoryGauge
from ui.widgets.status_strip import StatusStrip

GIB = 1 << 30


async def test_the_strip_shows_the_servers_memory_while_it_can_be_seen(qtbot: QtBot) -> None:
    manager, monitor, strip, window = ServerManager(RehearsalLauncher("cli")), Monitor(), StatusStrip(), QWidget()
    qtbot.addWidget(window)
    qtbot.addWidget(strip)
    gauge = MemoryGauge(monitor, manager, SettingsStore(), strip, window)
    try:
        await manager.start()
        assert monitor.threads == 0, "nobody looks"
        window.show()
        strip.show()
        await until(lambda: strip.memory.text().startswith("GPU 5"), "a reading")
        assert "of 96 GB" in strip.memory.toolTip() and strip.spark.isVisible()
        window.hide()
        assert monitor.threads == 0
        window.show()
        assert monitor.threads == 1
        await manager.stop()
        assert monitor.threads == 0 and strip.memory.text() == ""
    finally:
        gauge.close()
        await manager.stop()
        await manager.aclose()
        await monitor.aclose()


def test_what_is_not_reported_is_said_and_never_zero(qtbot: QtBot) -> None:
    manager, monitor, strip, window = ServerManager(RehearsalLauncher("cli")), Monitor(), StatusStrip(), QWidget()
    qtbot.addWidget(window)
    qtbot.addWidget(strip)
    gauge = MemoryGauge(monitor, manager, SettingsStore(), strip, window)
    gauge._on_sample(Sample(0.0, trouble=Message("gpu.elsewhere")))
    assert strip.memory.text() == "GPU not reported" and "cannot read" in strip.memory.toolTip()
    gauge._on_sample(Sample(1.0, (Card(0, "H200", total=96 * GIB),), (GpuReading(61 * GIB),)))
    assert strip.memory.text() == "GPU 61 GB"
    assert not strip.spark.grab().isNull()
    gauge.close()
