"""Hostile words, with the text that systemd.syntax(7), systemd.service(5) and the Compose specification ask for."""

from __future__ import annotations

import subprocess

import pytest

from studio.core.errors import StudioError
from studio.server import escaping
from tests.helpers.readers import compose_scalar, unit_words

# value, word of ExecStart=, string of a compose file: worked out by hand.
HOSTILE = [
    ("plain", "plain", '"plain"'),
    ("", '""', '""'),
    ("two words", '"two words"', '"two words"'),
    (" edges ", '" edges "', '" edges "'),
    ("a\tb", '"a\\tb"', '"a\\tb"'),
    ("a\nb", '"a\\nb"', '"a\\nb"'),
    ("ends\n", '"ends\\n"', '"ends\\n"'),
    ("a\r\nb", '"a\\r\\nb"', '"a\\r\\nb"'),
    ('say "yes"', '"say \\"yes\\""', '"say \\"yes\\""'),
    ("it's", '"it\'s"', '"it\'s"'),
    ("'", '"\'"', '"\'"'),
    ('"', '"\\""', '"\\""'),
    ("\\", '"\\\\"', '"\\\\"'),
    ("C:\\new", '"C:\\\\new"', '"C:\\\\new"'),
    ("ends\\", '"ends\\\\"', '"ends\\\\"'),
    ("100%", '"100%%"', '"100%"'),
    ("%h/%n", '"%%h/%%n"', '"%h/%n"'),
    ("%%", '"%%%%"', '"%%"'),
    ("$HOME", '"$$HOME"', '"$$HOME"'),
    ("${HOME}", '"$${HOME}"', '"$${HOME}"'),
    ("$$", '"$$$$"', '"$$$$"'),
    ("`id`", '"`id`"', '"`id`"'),
    ("$(id)", '"$$(id)"', '"$$(id)"'),
    (";", '";"', '";"'),
    ("# no comment", '"# no comment"', '"# no comment"'),
    ('{"mode":"layer"}', '"{\\"mode\\":\\"layer\\"}"', '"{\\"mode\\":\\"layer\\"}"'),
    ("H3STEP|{n}|{rate_fmt}\n", '"H3STEP|{n}|{rate_fmt}\\n"', '"H3STEP|{n}|{rate_fmt}\\n"'),
    ("&& rm -rf * | tee >x <y", '"&& rm -rf * | tee >x <y"', '"&& rm -rf * | tee >x <y"'),
    ("naïve 影片 🎬", '"naïve 影片 🎬"', '"naïve 影片 🎬"'),
    ("\x1b[31m\x07", '"\\x1b[31m\\x07"', '"\\x1b[31m\\x07"'),
    ("\x7f", '"\\x7f"', '"\\x7f"'),
    ("-n", "-n", '"-n"'),
    ("!no", '"!no"', '"!no"'),
]


@pytest.mark.parametrize(("value", "unit", "compose"), HOSTILE, ids=[repr(row[0]) for row in HOSTILE])
def test_a_hostile_word(value: str, unit: str, compose: str) -> None:
    assert escaping.service_word(value) == unit
    assert not value or escaping.quadlet_word(value) == unit
    assert escaping.compose_string(value) == compose
    assert unit_words(unit, dollars=True) == [value]
    assert compose_scalar(compose) == value


def test_bash_reads_every_word_back() -> None:
    script = "printf '%s\\0' " + " ".join(escaping.shell_word(value) for value, _, _ in HOSTILE)
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, check=True, timeout=20)
    assert done.stdout.decode().split("\0")[:-1] == [value for value, _, _ in HOSTILE]


@pytest.mark.parametrize("value", [row[0] for row in HOSTILE], ids=repr)
def test_a_variable_of_a_service_keeps_its_dollars(value: str) -> None:
    written = escaping.service_assignment("X", value)
    assert unit_words(written, dollars=False) == [f"X={value}"]
    if "$" in value:
        assert "$$" not in written or "$$" in value


@pytest.mark.parametrize("value", ["a\0b", "caf\udce9"])
def test_what_is_no_text_is_refused(value: str) -> None:
    for write in (escaping.shell_word, escaping.service_word, escaping.compose_string):
        with pytest.raises(StudioError) as refused:
            write(value)
        assert refused.value.code == "escape.bytes"


def test_an_empty_word_of_a_quadlet_is_refused_because_podman_drops_it() -> None:
    with pytest.raises(StudioError) as refused:
        escaping.quadlet_word("")
    assert refused.value.code == "escape.empty_word"


@pytest.mark.parametrize("value", ["", " a", "a ", "a\nb", "a\\", "a\x1b"])
def test_a_value_that_cannot_be_quoted_is_refused(value: str) -> None:
    with pytest.raises(StudioError):
        escaping.quadlet_value(value)


def test_volumes_names_and_units() -> None:
    assert escaping.volume("/my $dir/100%", "/m", "ro") == "/my $$dir/100%%:/m:ro"
    with pytest.raises(StudioError):
        escaping.volume("/a:b", "/m", "ro")
    assert escaping.unit_name("llm@1.service") == "llm@1.service"
    for bad in ("a b.service", "x", "-x.service\n", "$(id).service"):
        with pytest.raises(StudioError):
            escaping.unit_name(bad)
    for bad in ("", "-a", "a/b", "a b"):
        with pytest.raises(StudioError):
            escaping.container_name(bad)
