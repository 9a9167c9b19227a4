"""The look as data: colour roles of both themes (resources/theme/tokens.json) and the few sizes that all share."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, fields
from importlib import resources
from typing import Literal

ThemeName = Literal["dark", "light"]

# Sizes in device-independent pixels.
SPACE_XS, SPACE_S, SPACE_M, SPACE_L, SPACE_XL = 4, 8, 12, 16, 24
RADIUS_CARD, RADIUS_CONTROL = 6, 4
CONTROL_HEIGHT = 28
ICON, ICON_LARGE = 16, 20
FOCUS_RING = 2


@dataclass(frozen=True, slots=True)
class Tokens:
    """Colours by role, each as `#RRGGBB`. `a` to `d` are the sides of a comparison, everywhere."""

    ground: str
    """Window behind everything."""
    surface: str
    """Panels, cards."""
    raised: str
    """Menus, hovered cards."""
    line: str
    """Separators and card borders; carries no meaning."""
    text: str
    dim: str
    faint: str
    accent: str
    """The one primary action, the selection, the focus ring."""
    on_accent: str
    """Text on `accent` and on the tabs filled with a side's colour."""
    good: str
    warn: str
    bad: str
    a: str
    b: str
    c: str
    d: str

    def of_side(self, side: str) -> str:
        """The colour of a side by its letter; A's for none."""
        return {"B": self.b, "C": self.c, "D": self.d}.get(side, self.a)

    def as_dict(self) -> dict[str, str]:
        """Role → colour."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@functools.cache
def tokens_of(name: ThemeName) -> Tokens:
    """The colours of one theme."""
    table = json.loads((resources.files("resources") / "theme" / "tokens.json").read_text("utf-8"))
    return Tokens(**table[name])


def mix(over: str, under: str, share: float) -> str:
    """The opaque colour of `over` laid on `under` with opacity `share` (0..1)."""
    pairs = ((int(over[i : i + 2], 16), int(under[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(o * share + u * (1 - share)):02X}" for o, u in pairs)
