"""The device order that `nvidia-smi topo -m` suggests, on hosts of two, four and eight cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.server.topology import parse, processors_of, suggest

TWO = """\t\x1b[4mGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m
GPU0\t X \tPHB\t0-15\t0\t\tN/A
GPU1\tPHB\t X \t0-15\t0\t\tN/A

Legend:

  X    = Self
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
"""
FOUR = """\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID
GPU0\t X \tNODE\tPXB\tNODE\tSYS\t0-31\t0\t\tN/A
GPU1\tNODE\t X \tNODE\tPXB\tSYS\t0-31\t0\t\tN/A
GPU2\tPXB\tNODE\t X \tNODE\tSYS\t0-31\t0\t\tN/A
GPU3\tNODE\tPXB\tNODE\t X \tSYS\t0-31\t0\t\tN/A
NIC0\tSYS\tSYS\tSYS\tSYS\t X
"""


def eight(pair: dict[tuple[int, int], str], near: str = "NODE") -> str:
    """Eight cards at two nodes; `pair` says what joins some of them."""
    rows = ["\t" + "\t".join(f"GPU{n}" for n in range(8)) + "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID"]
    for a in range(8):
        cells = []
        for b in range(8):
            link = pair.get((min(a, b), max(a, b)), near if a // 4 == b // 4 else "SYS")
            cells.append(" X " if a == b else link)
        rows.append(f"GPU{a}\t" + "\t".join(cells) + f"\t{64 * (a // 4)}-{64 * (a // 4) + 63}\t{a // 4}\t\tN/A")
    return "\n".join(rows)


def test_two_cards_keep_their_order_and_are_told_what_joins_them() -> None:
    (one,) = suggest(parse(TWO), [2])
    assert (one.devices, one.numa) == ("0,1", 0)
    assert [why.code for why in one.why] == ["topology.link_phb", "topology.node"]
    assert "0" in one.why[0].text() and "1" in one.why[0].text()


def test_four_cards_are_paired_by_their_bridges() -> None:
    topology = parse(FOUR)
    assert topology.cards == (0, 1, 2, 3)
    (one,) = suggest(topology, [4])
    assert one.devices == "0,2,1,3"
    a, b = suggest(topology, [2, 2])
    assert (a.devices, b.devices) == ("0,2", "1,3")


def test_eight_cards_as_two_servers_as_the_recipe_has_it() -> None:
    bridges = {(0, 2): "PXB", (1, 3): "PXB", (4, 6): "PXB", (5, 7): "PXB"}
    a, b = suggest(parse(eight(bridges)), [4, 4])
    assert (a.devices, a.numa) == ("0,2,1,3", 0)
    assert (b.devices, b.numa) == ("4,6,5,7", 1)
    (whole,) = suggest(parse(eight(bridges)), [8])
    assert (whole.devices, whole.numa) == ("0,2,1,3,4,6,5,7", None)
    assert whole.why[-1].code == "topology.nodes"


def test_nvlink_is_nearest_whatever_else_is_said() -> None:
    topology = parse(eight({(0, 3): "NV18", (0, 1): "PIX"}))
    (one,) = suggest(topology, [4])
    assert one.order[:2] == (0, 3)
    assert one.why[0].code == "topology.link_nvlink"


@pytest.mark.parametrize("text", ["", "Failed to initialize NVML: Driver/library version mismatch", "GPU0\n"])
def test_no_answer_suggests_nothing(text: str) -> None:
    assert suggest(parse(text), [2]) == ()
    assert suggest(parse(TWO), [3]) == ()


def test_the_processors_of_a_node(tmp_path: Path) -> None:
    (tmp_path / "node1").mkdir()
    (tmp_path / "node1" / "cpulist").write_text("16-31,48-63\n")
    assert [processors_of(node, tmp_path) for node in (0, 1)] == ["", "16-31,48-63"]
