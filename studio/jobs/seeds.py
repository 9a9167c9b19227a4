"""One shot, several seeds."""

from __future__ import annotations

from studio.contract import Shot, new_seed


def with_seeds(shot: Shot, count: int) -> list[Shot]:
    """`count` shots (at least one) that differ in their seed alone; the first keeps its own."""
    seeds = {shot.seed: None}
    while len(seeds) < count:
        seeds[new_seed()] = None
    return [shot.but(seed=seed) for seed in seeds]
