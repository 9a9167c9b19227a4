"""What the Queue has to say."""

from studio.core.words import sentences

sentences(
    {
        "queue.is_rule": "From now on Compose stops what {server} would refuse for the same reason.",
        "queue.file_gone": "The video is not at {path} any more: it was moved or deleted.",
        "queue.no_file_manager": "No program opened the folder {path}.",
        "queue.picture_saved": "The picture is at {path}.",
        "queue.picture_not_saved": "The picture could not be written to {path}.",
        "queue.end.user": "{state} at {clock}, as you asked",
        "queue.end.freed": "{state} at {clock}, as you asked; the GPU is free",
        "queue.end.studio": "{state} at {clock}",
        "queue.end.server": "{state} at {clock}, on the server",
    }
)
