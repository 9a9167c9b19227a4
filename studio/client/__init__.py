"""The HTTP client of one vLLM-Omni server (facts: vllm-omni 0.30.0's video routes)."""

from studio.client import sentences
from studio.client.client import Client, Upload
from studio.client.errors import ClientError
from studio.client.wire import VideoJob

__all__ = ["Client", "ClientError", "Upload", "VideoJob", "sentences"]
