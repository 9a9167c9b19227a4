"""Entry point of `h3studio`: no verb (or `gui`) opens the window, any other verb is handed to studio.cli.

Kept free of imports: every worker process imports it.
"""

from __future__ import annotations

import multiprocessing
import sys


def main() -> int:
    """Run the command line; the exit code is the process's."""
    multiprocessing.freeze_support()
    words = sys.argv[1:]
    if words == ["demo"]:
        from ui import startup

        startup.prepare()
        from ui.demo import main as demo

        return demo()
    if words[:1] == ["shots"]:
        from ui.shots import main as take_shots

        return take_shots(words[1:])
    if not words or words[0] == "gui" or words[0].endswith(".h3shot"):
        from ui import startup

        startup.prepare()
        from ui.app import main as open_window

        return open_window(words[1:] if words[:1] == ["gui"] else words)
    from studio.cli import main as run_verb

    return run_verb(words)


if __name__ == "__main__":
    sys.exit(main())
