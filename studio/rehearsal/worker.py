"""What can go wrong in the pretended GPU worker."""


class WorkerError(Exception):
    """A job fails late with this sentence. Code 500 in the server's default mode, whatever the cause; `client` marks
    refusals of the request, which keep their status 400 with `--step-execution`."""

    def __init__(self, message: str, code: int = 500, *, client: bool = True) -> None:
        super().__init__(message)
        self.message, self.code, self.client = message, code, client


class Stopped(Exception):
    """The job was cancelled, or the server is going down."""
