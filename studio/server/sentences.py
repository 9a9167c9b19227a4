"""What is said of servers."""

from studio.core.words import sentences

sentences(
    {
        "server.start_failed": "The {name} did not start: {last_line}",
        "server.start_failed.mend": "Its log is {log}.",
        "server.start_timeout": "The {name} did not become ready within {seconds} s.",
        "server.died": "The {name} ended by itself: {how}.",
        "server.died.mend": "Its log is {log}. Start it again; unfinished renders are offered again.",
        "server.still_running": "The server (pid {pid}) did not end and was left alone.",
        "server.exit.code": "it ended with exit code {code}",
        "server.exit.signal": "it was ended by signal {number}",
        "server.exit.unknown": "it is gone",
        "server.name.rehearsal": "rehearsal server",
        "server.name.url": "server at {url}",
    }
)
