"""The colours of both themes can be read: contrast by WCAG 2.2, from the tokens themselves."""

import itertools

import pytest

from ui.theme.tokens import ThemeName, Tokens, mix, tokens_of

GROUNDS = ("ground", "surface", "raised")
TEXTS = ("text", "dim", "faint", "good", "warn", "bad")
LINES = ("accent", "good", "warn", "bad", "a", "b", "c", "d", "faint")


def contrast(first: str, second: str) -> float:
    """The ratio (1…21) of two `#RRGGBB` colours."""

    def luminance(colour: str) -> float:
        shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_the_known_one() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.fixture(params=["dark", "light"])
def tokens(request: pytest.FixtureRequest) -> Tokens:
    name: ThemeName = request.param
    return tokens_of(name)


def test_text_can_be_read_on_every_ground(tokens: Tokens) -> None:
    colours = tokens.as_dict()
    weak = {
        (text, ground): round(contrast(colours[text], colours[ground]), 2)
        for text, ground in itertools.product(TEXTS, GROUNDS)
        if contrast(colours[text], colours[ground]) < 4.5
    }
    assert not weak


def test_text_on_a_filled_control_or_tab_can_be_read(tokens: Tokens) -> None:
    for filled in (tokens.accent, tokens.a, tokens.b, tokens.c, tokens.d):
        assert contrast(tokens.on_accent, filled) >= 4.5


def test_text_on_the_tints_of_a_prompt_can_be_read(tokens: Tokens) -> None:
    """Places to fill in, and chips of references that are sent, that wait, and that are gone."""
    pairs = (
        (tokens.text, mix(tokens.warn, tokens.ground, 0.18)),
        (tokens.text, mix(tokens.text, tokens.ground, 0.14)),
        (tokens.dim, mix(tokens.text, tokens.ground, 0.04)),
        (tokens.bad, mix(tokens.text, tokens.ground, 0.04)),
    )
    assert [pair for pair in pairs if contrast(*pair) < 4.5] == []


def test_icons_and_lines_with_a_meaning_stand_out(tokens: Tokens) -> None:
    colours = tokens.as_dict()
    for line, ground in itertools.product(LINES, GROUNDS):
        assert contrast(colours[line], colours[ground]) >= 3, (line, ground)


def test_the_greys_are_neutral(tokens: Tokens) -> None:
    """A coloured surface would tint how people judge their frames."""
    for grey in (tokens.ground, tokens.surface, tokens.raised, tokens.accent):
        channels = [int(grey[i : i + 2], 16) for i in (1, 3, 5)]
        assert max(channels) - min(channels) <= 8
