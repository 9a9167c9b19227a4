"""`/metrics`: the gauges that move while jobs run (vllm-omni 0.30.0, metrics/definitions.py)."""

from __future__ import annotations

from studio.rehearsal.records import Jobs


def exposition(jobs: Jobs, model: str) -> str:
    """Prometheus text."""
    values = (
        ("num_requests_running", "Number of requests currently running.", jobs.count("in_progress")),
        ("num_requests_waiting", "Number of requests waiting to be scheduled.", jobs.count("queued")),
    )
    lines = []
    for name, text, value in values:
        lines += [f"# HELP vllm_omni:{name} {text}", f"# TYPE vllm_omni:{name} gauge"]
        lines.append(f'vllm_omni:{name}{{model_name="{model}"}} {float(value)}')
    return "\n".join(lines) + "\n"
