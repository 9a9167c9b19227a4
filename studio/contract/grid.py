"""The frame grid: H3 makes and reads pictures in pieces of 17n+5 frames at 24 fps.

The grid belongs to the model's video VAE (17 frames → 5 latents, plus 5 frames → 2 latents) and is the same on every
server version (vllm-omni 0.30.0, time_request.py). Output frames round up to it, reference frames round down.
"""

from __future__ import annotations

from studio.contract.findings import ContractError
from studio.contract.limits import Limits
from studio.contract.shot import FPS
from studio.core.words import Param

STEP = 17
OFFSET = 5
LATENTS_A_STEP = 5
LATENTS_AT_OFFSET = 2
AUDIO_LATENT_HZ = 40


def is_rung(frames: int) -> bool:
    """Whether a number of frames lies on the grid."""
    return frames >= OFFSET and (frames - OFFSET) % STEP == 0


def ceil_rung(frames: int) -> int:
    """The smallest rung that is at least `frames`: what the server renders."""
    return OFFSET + STEP * max(0, -(-(frames - OFFSET) // STEP))


def floor_rung(frames: int) -> int:
    """The largest rung that is at most `frames`: what the model looks at in a reference. 0 below the first rung."""
    return OFFSET + STEP * ((frames - OFFSET) // STEP) if frames >= OFFSET else 0


def latents(frames: int) -> int:
    """Video latent frames of a rung: 124 → 37."""
    return (frames - OFFSET) // STEP * LATENTS_A_STEP + LATENTS_AT_OFFSET


def audio_latents(frames: int) -> int:
    """Sound latents that go with `frames` of output, at 40 a second, half to even: 124 → 207."""
    return round(frames / FPS * AUDIO_LATENT_HZ)


def seconds_of(frames: int) -> float:
    """How long `frames` last at 24 fps."""
    return frames / FPS


def rungs(limits: Limits, seconds_max: float | None = None) -> tuple[int, ...]:
    """All lengths that can be rendered, in frames, shortest first; 107 … 362 in one pass.

    `seconds_max` replaces the limit of one pass for the long modes.
    """
    shortest = ceil_rung(round(limits.output_seconds_min * FPS))
    longest = ceil_rung(round((seconds_max or limits.output_seconds_max) * FPS))
    return tuple(range(shortest, longest + 1, STEP))


def frames_for(seconds: object, limits: Limits, seconds_max: float | None = None) -> int:
    """The rung that the server renders for a duration: `round(24·s)`, half to even, then up.

    Takes what the server takes: a number, or a string that is one. Raises ContractError ("output.seconds.range") for
    anything outside the limits, however little (vllm-omni 0.30.0, encoder_processing.py).
    """
    longest = seconds_max or limits.output_seconds_max
    value = as_number(seconds)
    if value is None or not limits.output_seconds_min <= value <= longest:
        shown = repr(seconds) if value is None else str(value)
        raise duration_refused(shown, value, limits, longest)
    return ceil_rung(round(value * FPS))


def as_number(value: object) -> float | None:
    """A number as the server reads it; None for what it does not take as one (booleans among them)."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def duration_refused(shown: str, seconds: float | None, limits: Limits, longest: float) -> ContractError:
    """The refusal of an output length, with the server's own sentence."""
    shortest = limits.output_seconds_min
    said = f"MiniMax H3 output duration must be in [{shortest:g}, {longest:g}] seconds, got {shown}"
    measured: Param = shown if seconds is None else seconds
    return ContractError.as_server("output.seconds.range", said, {"is": measured, "min": shortest, "max": longest})
