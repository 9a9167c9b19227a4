"""Which cards a server may use, by its own environment. Its numbers are not the driver's.

CUDA counts the fastest card as 0 unless `CUDA_DEVICE_ORDER=PCI_BUS_ID`; NVML and `nvidia-smi` always count by PCI
address and ignore `CUDA_VISIBLE_DEVICES`. An identifier (whole, or its first characters) is the same for both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studio.telemetry.readings import Card

_SETTINGS = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


def visible(cards: Sequence[Card], env: Mapping[str, str]) -> frozenset[str] | None:
    """UUIDs of the cards that a process with this environment sees; None when its numbers could mean any of them."""
    setting = next((env[name] for name in _SETTINGS if name in env), None)
    if setting is None:
        return frozenset(card.uuid for card in cards)
    whole = [card for card in cards if card.mig in (None, 0)]
    by_number = env.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" or len({card.name for card in cards}) == 1
    found: set[str] = set()
    for word in filter(None, (word.strip() for word in setting.split(","))):
        if word.startswith("-") or (word.isdigit() and int(word) >= len(whole)):
            break  # CUDA stops at the first one that is not there
        if word.isdigit():
            if not by_number:
                return None
            found.add(whole[int(word)].uuid)
        else:
            fitting = [card.uuid for card in cards if card.uuid.lower().startswith(word.lower())]
            if len(fitting) != 1:
                break
            found.add(fitting[0])
    return frozenset(found)
