"""Ways to read cards, behind one interface: open, sample, close."""

from studio.telemetry.samplers.amdgpu import AmdgpuSampler
from studio.telemetry.samplers.base import NoSampler, Sampler
from studio.telemetry.samplers.local import LocalSampler
from studio.telemetry.samplers.nvidia_smi import NvidiaSmiSampler
from studio.telemetry.samplers.nvml import NvmlSampler
from studio.telemetry.samplers.rehearsal import RehearsalSampler

__all__ = [
    "AmdgpuSampler",
    "LocalSampler",
    "NoSampler",
    "NvidiaSmiSampler",
    "NvmlSampler",
    "RehearsalSampler",
    "Sampler",
]
