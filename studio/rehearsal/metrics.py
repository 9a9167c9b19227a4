"""`/metrics`: the families of vllm-omni 0.30.0 that a video job feeds (metrics/definitions.py). Gauges move while jobs
run, everything else is observed once, when a job has ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.rehearsal.records import Job, Jobs

_LONG = (0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300)
_STEP = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)
_STEPS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)  # the client library's default
_STAGE = {"stage": "0"}
_REPLICA = {"replica": "0", "stage": "0"}


@dataclass
class _Histogram:
    text: str
    bounds: Sequence[float]
    labels: Mapping[str, str] = field(default_factory=dict)
    count: int = 0
    sum: float = 0.0
    below: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.below = [0] * len(self.bounds)

    def observe(self, value: float) -> None:
        """Count one value."""
        self.count, self.sum = self.count + 1, self.sum + value
        self.below = [n + (value <= bound) for n, bound in zip(self.below, self.bounds, strict=True)]


class Metrics:
    """What the ended jobs of this process have shown. `model` is the label's value."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._succeeded = self._failed = self._aborted = 0
        self._peak_mb: float | None = None
        self._histograms = {
            "e2e_request_latency_s": _Histogram("Pipeline-global end-to-end request latency in seconds.", _LONG),
            "request_queue_wait_s": _Histogram("Per-request queue wait in seconds.", _LONG),
            "stage_in_queue_s": _Histogram("Seconds from enqueue to initial execution admission.", _LONG, _STAGE),
            "stage_gen_time_s": _Histogram(
                "Per-stage generation time in seconds.", _LONG, {"stage": "0", "stage_type": "diffusion"}
            ),
            "num_inference_steps": _Histogram("Diffusion step count distribution per request.", _STEPS),
            "diffusion_exec_s": _Histogram("DiT forward pass execution time per request in seconds.", _LONG, _REPLICA),
            "diffusion_exec_per_step_s": _Histogram(
                "DiT forward pass execution time per denoising step in seconds.", _STEP, _REPLICA
            ),
        }

    def aborted(self) -> None:
        """A job was cancelled."""
        self._aborted += 1

    def ended(self, job: Job, steps: int | None) -> None:
        """A job ended by itself; `steps` is None when it failed."""
        if steps is None:
            self._failed += 1
            return
        self._succeeded += 1
        self._peak_mb = job.peak_memory_mb
        queued = job.stage_durations["queue_wait_ms"] / 1000
        made = job.stage_durations["stage_0_gen_ms"] / 1000
        seen = {"e2e_request_latency_s": job.inference_time_s or 0.0, "num_inference_steps": steps}
        seen |= {"request_queue_wait_s": queued, "stage_in_queue_s": queued}
        seen |= {"stage_gen_time_s": made, "diffusion_exec_s": made, "diffusion_exec_per_step_s": made / steps}
        for name, value in seen.items():
            self._histograms[name].observe(value)

    def exposition(self, jobs: Jobs) -> str:
        """Prometheus text."""
        waiting = jobs.count("queued")
        lines = self._family("num_requests_running", "gauge", "Number of requests currently running.")
        lines.append(self._sample("num_requests_running", jobs.count("in_progress")))
        lines += self._family("num_requests_waiting", "gauge", "Number of requests waiting to be scheduled.")
        lines.append(self._sample("num_requests_waiting", waiting))
        lines += self._family("stage_waiting_requests", "gauge", "Requests waiting at the stage.")
        lines.append(self._sample("stage_waiting_requests", waiting, _STAGE))
        lines += self._family("requests_success_total", "counter", "Total requests by completion reason.")
        lines.append(self._sample("requests_success_total", self._succeeded, {"finished_reason": "stop"}))
        lines += self._family("requests_failed_total", "counter", "Total requests by failure reason.")
        lines.append(self._sample("requests_failed_total", self._failed, {"reason": "stage_error"}))
        lines.append(self._sample("requests_failed_total", self._aborted, {"reason": "client_abort"}))
        lines += self._family("peak_memory_mb", "gauge", "Peak GPU memory in MB during a stage's generation.")
        if self._peak_mb is not None:
            lines.append(self._sample("peak_memory_mb", self._peak_mb, _STAGE))
        for name, histogram in self._histograms.items():
            lines += self._family(name, "histogram", histogram.text)
            lines += self._buckets(name, histogram)
        return "\n".join(lines) + "\n"

    def _family(self, name: str, kind: str, text: str) -> list[str]:
        return [f"# HELP vllm_omni:{name} {text}", f"# TYPE vllm_omni:{name} {kind}"]

    def _buckets(self, name: str, histogram: _Histogram) -> list[str]:
        if not histogram.count:
            return []
        buckets = [(str(float(bound)), n) for bound, n in zip(histogram.bounds, histogram.below, strict=True)]
        buckets.append(("+Inf", histogram.count))
        lines = [self._sample(f"{name}_bucket", n, {"le": word, **histogram.labels}) for word, n in buckets]
        lines.append(self._sample(f"{name}_count", histogram.count, histogram.labels))
        lines.append(self._sample(f"{name}_sum", histogram.sum, histogram.labels))
        return lines

    def _sample(self, name: str, value: float, labels: Mapping[str, str] | None = None) -> str:
        named = {**(labels or {}), "model_name": self._model}
        inside = ",".join(f'{key}="{word}"' for key, word in sorted(named.items()))
        return f"vllm_omni:{name}{{{inside}}} {float(value)}"
