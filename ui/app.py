"""The composition root: environment, loop, wiring, hooks, and the single way out."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

os.environ["QT_API"] = "pyside6"
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"

import shiboken6
from PySide6.QtCore import Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from studio.core import faults, logs, paths, words
from studio.core.errors import StudioError
from studio.core.notices import Notice, Notices
from studio.settings import SettingsStore
from ui import startup
from ui.loop import EventLoop
from ui.studio import Studio
from ui.theme import palette
from ui.theme.language import follow_language

log = logging.getLogger(__name__)


def main(argv: Sequence[str]) -> int:
    """Open the window and run until it is closed; the exit code is the process's."""
    args = make_parser().parse_args(list(argv))
    logs.set_up(paths.data_dir() / "logs")
    fault = faults.keep(paths.data_dir() / "logs")
    qInstallMessageHandler(_on_qt_message)
    app = _application()
    app.setApplicationName("h3studio")
    app.setApplicationDisplayName("H3 Studio")
    QGuiApplication.setDesktopFileName("h3studio")
    app.setWindowIcon(QIcon(str(resources.files("resources") / "icons" / "app" / "h3studio.svg")))
    app.setQuitOnLastWindowClosed(False)
    for effect in (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip):
        QApplication.setEffectEnabled(effect, False)  # nothing moves but pictures that are played
    settings = SettingsStore()
    words.set_language(args.language or settings.present.language)
    theme = palette.prepare(app, args.theme or settings.present.theme)
    follow_language(app)
    loop = EventLoop(app)
    asyncio.set_event_loop(loop)
    with loop:
        code = int(loop.run_until_complete(_run(args, settings, theme, fault)))
    _leave_clipboard()
    return code


def _application() -> QApplication:
    there = QApplication.instance()
    return there if isinstance(there, QApplication) else QApplication(sys.argv[:1])


async def _run(args: argparse.Namespace, settings: SettingsStore, theme: palette.Theme, fault: Notice | None) -> int:
    notices = Notices()
    _hook_errors(asyncio.get_running_loop(), notices)
    studio = Studio(settings, notices)
    theme.dress()
    if fault is not None:
        notices.post(fault)
    ended = asyncio.Event()
    studio.ended.connect(ended.set)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, studio.close_at_once)
    by_itself = args.screenshots or args.shots or args.session
    if not (args.shot or args.compare or args.rehearsal) and not by_itself and not settings.present.welcomed:
        studio.welcome()
    try:
        await studio.start(args.shot, with_server=args.rehearsal)
        if args.compare:
            studio.compare.open_all([path.absolute() for path in args.compare])
            studio.window.go("go.compare")
        startup.done()
        if args.screenshots is not None:
            from ui.tour import take_tour

            return await take_tour(studio, args.screenshots)
        if args.shots is not None:
            from ui.tour import take_shots

            return await take_shots(studio, args.shots)
        if args.session is not None:
            from ui.session import run_session

            return await run_session(studio, args.session)
        await ended.wait()
    except StudioError as error:
        sys.stderr.write(f"h3studio: {error}\n")
        return 1
    finally:
        await studio.aclose()
    return 0


def _leave_clipboard() -> None:
    """Qt takes what was copied apart after Python has gone, and cannot where Python made it: leave a plain copy."""
    clipboard = QGuiApplication.clipboard()
    copied = clipboard.mimeData()  # None while nothing was copied
    if copied is not None and shiboken6.createdByPython(copied):
        clipboard.setText(clipboard.text())


def make_parser() -> argparse.ArgumentParser:
    """What `h3studio gui` takes."""
    parser = argparse.ArgumentParser(prog="h3studio gui", description="The studio's window.")
    parser.add_argument("shot", nargs="?", type=Path, metavar="FILE.h3shot", help="a shot to open")
    parser.add_argument("--screenshots", type=Path, metavar="DIR", help="tour every workspace, write PNGs, and end")
    parser.add_argument("--language", choices=sorted(words.LANGUAGES), help="in place of the one in the settings")
    parser.add_argument("--theme", choices=("dark", "light"), help="in place of the one in the settings")
    parser.add_argument("--compare", nargs="+", type=Path, metavar="FILE", help="clips to compare, up to nine takes")
    parser.add_argument("--rehearsal", action="store_true", help="start the rehearsal server with the window")
    parser.add_argument("--shots", type=Path, metavar="DIR", help=argparse.SUPPRESS)
    parser.add_argument("--session", type=Path, metavar="DIR", help=argparse.SUPPRESS)
    return parser


def _hook_errors(loop: asyncio.AbstractEventLoop, notices: Notices) -> None:
    """Slots, tasks and plain callbacks: all that goes wrong ends in the notices and in the log."""

    def from_slot(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        if issubclass(kind, KeyboardInterrupt):
            return
        log.error("unhandled", exc_info=(kind, error, trace))
        notices.error(error)

    def from_loop(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        log.error("unhandled in the loop: %s", context.get("message"), exc_info=error)
        if isinstance(error, Exception):
            notices.error(error)

    sys.excepthook = from_slot
    loop.set_exception_handler(from_loop)


def _on_qt_message(kind: QtMsgType, _context: object, text: str) -> None:
    if "propagateSizeHints" in text:
        return
    level = logging.WARNING if kind is QtMsgType.QtWarningMsg else logging.DEBUG
    log.log(logging.ERROR if kind in (QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg) else level, "Qt: %s", text)
