"""How the cards of a machine are joined, from `nvidia-smi topo -m`, and the device order that a server should have.

Tensor-parallel ranks talk most, and neighbours in the device order are in the same group of them: each pair should be
the two cards that are joined best, and all of a server's cards should sit at one NUMA node (vllm-omni's recipe for
8 × RTX PRO 6000, which puts two servers on 0,2,1,3 and 4,6,5,7 so). On machines without NVLink that is a PXB pair: the
two cards share a PCIe bridge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

from studio.core.words import Message

_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")
_CARD: Final = re.compile(r"GPU(\d+)")
_RANKS: Final = ("SYS", "NODE", "PHB", "PXB", "PIX")
"""From far to near; NVLink (`NV18`) is nearer than all."""
_NVLINK: Final = len(_RANKS)


@dataclass(frozen=True, slots=True)
class Topology:
    """`links[a, b]` with a < b: what joins two cards, as nvidia-smi writes it; `numa`: card → node, where it tells."""

    cards: tuple[int, ...]
    links: Mapping[tuple[int, int], str]
    numa: Mapping[int, int]

    def nearness(self, a: int, b: int) -> int:
        """How near two cards are; larger is nearer."""
        link = self.links.get((min(a, b), max(a, b)), "SYS")
        return _NVLINK + 1 if link.startswith("NV") else _RANKS.index(link) if link in _RANKS else 0


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Cards of one server in the order that `CUDA_VISIBLE_DEVICES` should have, and why."""

    order: tuple[int, ...]
    numa: int | None
    """The node that it should be bound to; None when its cards sit at several, or when that is not told."""
    why: tuple[Message, ...]

    @property
    def devices(self) -> str:
        """As the variable takes it."""
        return ",".join(map(str, self.order))


def parse(text: str) -> Topology:
    """Read `nvidia-smi topo -m`. Its header is underlined with control codes even into a file; NICs are left out."""
    rows = [re.split(r"\t+| {2,}", line.strip()) for line in _ANSI.sub("", text).splitlines() if line.strip()]
    header = next((row for row in rows if row and _CARD.fullmatch(row[0]) and "CPU Affinity" in row), None)
    if header is None:
        return Topology((), {}, {})
    cards, links, numa = [], {}, {}
    for row in rows:
        found = _CARD.fullmatch(row[0])
        if row is header or found is None or len(row) < 2:
            continue
        card = int(found[1])
        cards.append(card)
        for name, value in zip(header, row[1:], strict=False):
            if (other := _CARD.fullmatch(name)) and int(other[1]) > card:
                links[card, int(other[1])] = value
            elif name == "NUMA Affinity" and value.isdigit():
                numa[card] = int(value)
    return Topology(tuple(cards), links, numa)


def processors_of(node: int, nodes: Path = Path("/sys/devices/system/node")) -> str:
    """Processors of a NUMA node of this machine, such as "0-15,32-47"; "" when there is no such node. Reads a file."""
    try:
        return (nodes / f"node{node}" / "cpulist").read_text().strip()
    except OSError:
        return ""


def suggest(topology: Topology, sizes: Iterable[int]) -> tuple[Suggestion, ...]:
    """Cards for servers of these sizes, side by side; empty when there are not enough cards."""
    left, made = list(topology.cards), []
    for size in sizes:
        if size < 1 or size > len(left):
            return ()
        chosen = _at_one_node(topology, left, size)
        pairs = _pairs(topology, chosen)
        order = tuple(card for pair in pairs for card in pair)
        made.append(Suggestion(order, _node(topology, order), tuple(_reasons(topology, pairs))))
        left = [card for card in left if card not in order]
    return tuple(made)


def _at_one_node(topology: Topology, left: list[int], size: int) -> list[int]:
    """The cards that sit together: of the node that has just enough, else the first ones."""
    by_node: dict[int | None, list[int]] = {}
    for card in left:
        by_node.setdefault(topology.numa.get(card), []).append(card)
    fitting = [cards for cards in by_node.values() if len(cards) >= size]
    cards = min(fitting, key=len, default=left)
    if len(cards) == size:
        return cards
    pairs = _pairs(topology, cards)  # of many, the nearest pairs
    ranked = sorted(pairs, key=lambda pair: -topology.nearness(*pair) if len(pair) == 2 else 1)
    return sorted([card for pair in ranked for card in pair][:size])


def _pairs(topology: Topology, cards: list[int]) -> list[tuple[int, ...]]:
    """Cards in pairs, the nearest ones first taken; a card that is left over stands alone at the end."""
    left, pairs = list(cards), []
    ranked = sorted(combinations(cards, 2), key=lambda pair: (-topology.nearness(*pair), pair))
    for a, b in ranked:
        if a in left and b in left:
            pairs.append((a, b))
            left = [card for card in left if card not in (a, b)]
    return [*sorted(pairs), *((card,) for card in left)]


def _node(topology: Topology, order: Iterable[int]) -> int | None:
    nodes = {topology.numa.get(card) for card in order}
    return nodes.pop() if len(nodes) == 1 else None


def _reasons(topology: Topology, pairs: list[tuple[int, ...]]) -> Iterable[Message]:
    for pair in pairs:
        if len(pair) == 2:
            a, b = pair
            link = topology.links.get((min(pair), max(pair)), "SYS")
            kind = "nvlink" if link.startswith("NV") else link.lower() if link in _RANKS else "sys"
            yield Message(f"topology.link_{kind}", {"a": a, "b": b, "link": link})
    nodes = {topology.numa.get(card) for pair in pairs for card in pair}
    if len(nodes) > 1:
        yield Message("topology.nodes", {"count": len(nodes)})
    elif (node := next(iter(nodes), None)) is not None:
        yield Message("topology.node", {"node": node})
