"""Only the module of the verb that is asked for is read: the table of verbs must be right."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import pytest

import studio.cli

entry = import_module("studio.cli.main")  # the package has a function of that name

MODULES = [module.name for module in iter_modules(studio.cli.__path__)]


def verbs_of(parser: argparse.ArgumentParser) -> set[str]:
    (verbs,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return set(verbs.choices) - {"gui"}


def test_every_module_that_adds_verbs_stands_in_the_table_with_them() -> None:
    added = {}
    for name in MODULES:
        if (add := getattr(import_module(f"studio.cli.{name}"), "add", None)) is not None:
            parser = argparse.ArgumentParser()
            add(parser.add_subparsers())
            added[name] = verbs_of(parser)
    assert added == {name: set(theirs) for name, theirs in entry._VERBS.items()}


@pytest.mark.parametrize("asked", ["", "--help", "gui", "no-such-verb"])
def test_all_verbs_are_there_where_none_is_asked_for(asked: str) -> None:
    assert verbs_of(entry.make_parser(asked)) == {verb for theirs in entry._VERBS.values() for verb in theirs}


def test_one_that_is_asked_for_is_there_alone_with_those_of_its_module() -> None:
    assert verbs_of(entry.make_parser("profiles")) == {"profiles", "server"}


def test_what_is_no_verb_is_told_with_all_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        entry.main(["rendr"])
    assert "render" in capsys.readouterr().err


@pytest.mark.parametrize("words", ["--version", "--help", "presets list", "jobs list --json"])
def test_a_reader_that_has_enough_ends_it_without_a_word(words: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    program = [sys.executable, "-m", "studio", *words.split()]
    with os.fdopen(writing, "wb") as fp:
        done = subprocess.run(program, stdout=fp, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode in (entry.DONE, entry.BAD) and done.stderr == ""  # argparse hides it for --help


def test_the_versions_are_told_without_reading_the_verbs() -> None:
    assert verbs_of(entry.make_parser("--version")) == set()
