"""What can go wrong in the pretended GPU worker."""


class WorkerError(Exception):
    """A job fails late with this sentence. Code 500 in the server's default mode, whatever the cause."""

    def __init__(self, message: str, code: int = 500) -> None:
        super().__init__(message)
        self.message, self.code = message, code
