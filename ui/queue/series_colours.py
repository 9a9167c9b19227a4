"""Colours of the cards' curves, told apart also by those who see red and green alike; each is labelled in the plot.

After Okabe and Ito's set, brightened or darkened until every line stands out from its ground (3:1 and more).
"""

from __future__ import annotations

from typing import Final

from ui.theme.tokens import ThemeName, Tokens, tokens_of

_COLOURS: Final[dict[ThemeName, tuple[str, ...]]] = {
    "dark": ("#56B4E9", "#E69F00", "#1FB58A", "#D68AB8", "#F0E442", "#7D8FE8", "#E5734A", "#B4B9C0"),
    "light": ("#0072B2", "#B35900", "#00795C", "#9C3F83", "#7A6200", "#4A45A8", "#B22F1D", "#5C6066"),
}


def colour(position: int, tokens: Tokens) -> str:
    """The colour of the card in that place."""
    table = _COLOURS["dark" if tokens == tokens_of("dark") else "light"]
    return table[position % len(table)]
