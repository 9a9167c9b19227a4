"""How long `check` takes: a full tray of 12 references, with a short and with a very long prompt.

python -m tests.bench.contract_check
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from studio.contract import Request, check, cost, mention_of, rows
from tests.helpers.shots import Item, clip, picture, request, sound

_ROUNDS = 200
_LONG = 100_000


def full_tray(prompt: str = "") -> Request:
    """Nine pictures, two clips with sound and a sound, each mentioned; every limit is kept."""
    items: list[Item] = [picture(f"p{i}") for i in range(9)]
    items += [clip("v0", 124 / 24, sound=124 / 24), clip("v1", 90 / 24, sound=90 / 24), sound("a", 5.0)]
    named = " ".join(mention_of(item.reference.id) for item in items)
    return request(*items, prompt=f"{named} {prompt}")


def best_ms(act: Callable[[], object]) -> float:
    """The quickest of many rounds, in milliseconds."""
    times = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        act()
        times.append(time.perf_counter() - began)
    return min(times) * 1000


def main() -> None:
    """Print the table."""
    plain = full_tray("a red kite over the sea. " * 20)
    words = full_tray("a red kite over the sea. " * (_LONG // 25))
    named = full_tray(f"{mention_of('p3')} and {mention_of('v0', sound=True)}, " * (_LONG // 22))
    cases = {"12 references": plain, "… 100,000 characters": words, "… 100,000 characters, all mentions": named}
    for name, of in cases.items():
        print(f"{name:40}", *(f"{act.__name__} {best_ms(partial(act, of)):6.2f} ms" for act in (check, rows, cost)))


if __name__ == "__main__":
    main()
