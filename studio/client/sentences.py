"""What is said of a server's answers."""

from studio.core.words import sentences

sentences(
    {
        "server.unreachable": "No server answers at {url}.",
        "server.unreachable.mend": "Start it, or check the address.",
        "server.no_answer": "The server at {url} did not answer in time.",
        "server.no_answer.mend": "It may be busy encoding a video; try again in a minute.",
        "server.unauthorized": "The server at {url} does not take this API key.",
        "server.unauthorized.mend": "Enter the key it was started with.",
        "server.bad_answer": "The server at {url} gave an answer that is not a video server's (HTTP {status}).",
        "server.bad_answer.mend": "Check the address: something else may listen on that port.",
        "server.refused": "The server refused the request: {said}",
        "server.failed": "The server failed (HTTP {status}): {said}",
        "server.job_unknown": "The server does not know this job any more.",
        "server.job_unknown.mend": "It was restarted or the job was deleted there; submit it again.",
        "server.not_ready": "The server says that the video is not finished yet.",
        "server.file_gone": "The server has finished this video but no longer has its file.",
        "server.file_gone.mend": "Render it again with the same seed.",
        "server.broken_download": "The download broke off at {got:mib} of {size:mib}.",
        "server.broken_download.mend": "What came is kept; resume the job to fetch the rest.",
        "server.cancel_pending": "The server is still stopping this job.",
        "server.upload_lost": "The connection broke while the request was being sent.",
        "disk.write": "{path} cannot be written: {reason}.",
        "disk.write.mend": "Free some space or choose another folder.",
    }
)
