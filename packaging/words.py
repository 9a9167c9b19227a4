"""Collects every text of the program into the catalogues of resources/translations and compiles them.

    python packaging/words.py           update the .po files, write the .mo files
    python packaging/words.py --check   say whether they are up to date; change nothing

Texts are the first argument of `tr` and `mark`, both of `ntr`, the values of the tables given to `sentences`, and
what the built-in templates say of themselves.
"""

from __future__ import annotations

import ast
import io
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = ("zh_CN",)
HEAD = """\
msgid ""
msgstr ""
"Language: {language}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"

"""


def texts(path: Path) -> Iterator[tuple[int, str | tuple[str, str]]]:
    """Line and text of everything in a module that is to be translated."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        first = node.args[0]
        if name in ("tr", "mark") and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield node.lineno, first.value
        elif name == "ntr" and all(isinstance(a, ast.Constant) for a in node.args[:2]):
            one, many = (a.value for a in node.args[:2])
            yield node.lineno, (str(one), str(many))
        elif name == "sentences" and isinstance(first, ast.Dict):
            for value in first.values:
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.lineno, value.value


def preset_texts(path: Path) -> Iterator[str]:
    """What a template says of itself. Its prompt is for the model and stays as it is."""
    preset = json.loads(path.read_text("utf-8"))
    yield from (preset[name] for name in ("title", "purpose", "note") if preset.get(name))


def collect() -> Catalog:
    """The template: every text with the files that it stands in."""
    catalogue = Catalog(project="H3 Studio", charset="utf-8")

    def add(text: str | tuple[str, str], path: Path) -> None:
        # No line numbers: they would change the catalogue at every edit.
        catalogue.add(text, locations=[(path.relative_to(ROOT).as_posix(), None)])

    for path in sorted((*ROOT.glob("studio/**/*.py"), *ROOT.glob("ui/**/*.py"))):
        for _, text in texts(path):
            if text and text != ("", ""):
                add(text, path)
    for path in sorted(ROOT.glob("resources/presets/*.json")):
        for text in preset_texts(path):
            add(text, path)
    return catalogue


def as_po(catalogue: Catalog, language: str) -> bytes:
    """The catalogue as a .po file, without what changes from run to run."""
    buffer = io.BytesIO()
    write_po(buffer, catalogue, omit_header=True, width=120, sort_output=True, include_previous=False)
    return HEAD.format(language=language).encode() + buffer.getvalue()


def updated(language: str, template: Catalog) -> tuple[Path, bytes, bytes, int]:
    """Path of the .po file, what it should hold, what the .mo should hold, and how many texts are untranslated."""
    path = FOLDER / language / "LC_MESSAGES" / "h3studio.po"
    if path.exists():
        with path.open("rb") as fp:
            catalogue = read_po(fp, locale=language)
    else:
        catalogue = Catalog(locale=language)
    catalogue.update(template, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    # The compiled header would otherwise change with the hour.
    catalogue.creation_date = catalogue.revision_date = datetime(2026, 1, 1, tzinfo=UTC)
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    missing = sum(1 for message in catalogue if message.id and not message.string)
    return path, as_po(catalogue, language), compiled.getvalue(), missing


def main() -> int:
    check = "--check" in sys.argv[1:]
    template, stale = collect(), False
    for language in LANGUAGES:
        path, po, mo, missing = updated(language, template)
        compiled = path.with_suffix(".mo")
        if check:
            fresh = path.exists() and path.read_bytes() == po and compiled.exists() and compiled.read_bytes() == mo
            stale |= not fresh
            print(f"{language}: {'up to date' if fresh else 'stale: run make words'}, {missing} texts untranslated")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(po)
            compiled.write_bytes(mo)
            print(f"{language}: {len(template)} texts, {missing} untranslated")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
