"""Writes the reference pages in docs/ from the code: the command line, and everything the studio may say.

python packaging/docs.py           write the pages
python packaging/docs.py --check   say whether they are up to date; change nothing
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

from studio.cli.main import make_parser
from ui.app import make_parser as make_gui_parser

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs"
ROOMS = {
    "contract": "Findings: before anything is sent",
    "media": "Files",
    "client": "Talking to a server",
    "jobs": "Renders",
    "server": "Starting and watching a server",
    "telemetry": "While a render runs",
    "compare": "Comparing",
    "presets": "Templates and presets",
    "settings": "Settings",
}
EXIT_CODES = "Exit codes: 0 done · 1 the answer is no · 2 bad usage or unreadable input · 130 interrupted."
_PLACE = re.compile(r"\{(\w+)[^}]*\}")
_HELP = (argparse._HelpAction, argparse._SubParsersAction)


def command_line() -> str:
    """Every verb with its options, as argparse knows them."""
    parser = make_parser()
    about = [parser.epilog or "", "", EXIT_CODES, ""]
    lines = ["# Command line", "", *_generated(), *about, *_verb("h3studio", parser, 2)]
    return "\n".join(lines).rstrip() + "\n"


def messages() -> str:
    """Everything that the rooms of studio may say, by code."""
    lines = ["# What the studio says, and what to do", "", *_generated()]
    lines += ["*Words like this* are filled with the measured number, the limit or the name.", ""]
    for room, heading in ROOMS.items():
        lines += [f"## {heading}", ""]
        for path in sorted((ROOT / "studio" / room).rglob("*.py")):
            lines += _tables(path)
    return "\n".join(lines).rstrip() + "\n"


def _generated() -> list[str]:
    return ["Made from the code by `make docs`.", ""]


def _verb(name: str, parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    if parser.description:
        yield from (parser.description, "")
    shown = [action for action in parser._actions if not isinstance(action, _HELP)]
    shown = [action for action in shown if action.help is not argparse.SUPPRESS and action.dest != "json"]
    if shown:
        yield from ("| argument | |", "| --- | --- |")
        yield from (f"| {_spelling(action)} | {_cell(_help(action))} |" for action in shown)
        yield ""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for verb, below in action.choices.items():
                if verb not in told:
                    continue  # of the studio's own use
                below = make_gui_parser() if name == "h3studio" and verb == "gui" else below
                yield from (f"{'#' * level} {name} {verb}", "")
                if told.get(verb) and not below.description:
                    yield from (told[verb][:1].upper() + told[verb][1:] + ".", "")
                yield from _verb(f"{name} {verb}", below, level + 1)


def _spelling(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else str(action.metavar or "")
    if not value and action.nargs != 0:
        value = "|".join(map(str, action.choices)) if action.choices else action.dest.upper()
    value = value.replace("|", "\\|")
    if not action.option_strings:
        return f"`{value}`{' …' if action.nargs in ('+', '*') else ''}"
    return f"`{', '.join(action.option_strings)}{' ' if value else ''}{value}`"


def _help(action: argparse.Action) -> str:
    return (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")


def _tables(path: Path) -> Iterator[str]:
    """A table for each run of sentences in a module; a comment in the source is its heading."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        is_table = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "sentences" and node.args
        if not is_table or not isinstance(node.args[0], ast.Dict):
            continue
        headings = _comments(path)
        open_table = False
        for key, value in zip(node.args[0].keys, node.args[0].values, strict=True):
            if not isinstance(key, ast.Constant) or not isinstance(value, ast.Constant):
                continue
            while headings and headings[0][0] < key.lineno:
                line, text = headings.pop(0)
                if line > node.lineno:
                    yield from ([""] if open_table else []) + [f"### {text.rstrip('.')}", ""]
                    open_table = False
            if not open_table:
                yield from ("| code | it says |", "| --- | --- |")
                open_table = True
            said = _PLACE.sub(r"*\1*", _cell(value.value))
            yield f"| `{key.value}` | {said} |"
        yield ""


def _comments(path: Path) -> list[tuple[int, str]]:
    with path.open("rb") as fp:
        tokens = [token for token in tokenize.tokenize(fp.readline) if token.type == tokenize.COMMENT]
    return [(t.start[0], t.string.lstrip("# ")) for t in tokens if not t.line[: t.start[1]].strip()]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def main() -> int:
    check, stale = "--check" in sys.argv[1:], False
    for name, page in (("command-line.md", command_line()), ("messages.md", messages())):
        path = FOLDER / name
        fresh = path.exists() and path.read_text("utf-8") == page
        stale |= not fresh
        if not check and not fresh:
            path.parent.mkdir(exist_ok=True)
            path.write_text(page, "utf-8")
        print(f"{path.relative_to(ROOT)}: {'up to date' if fresh else 'stale: run make docs' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
