"""What the Server workspace has to say."""

from studio.core.words import sentences

sentences(
    {
        "server.chip.none": "No server",
        "server.chip.rehearsal.starting": "Rehearsal server starting…",
        "server.chip.rehearsal.ready": "Rehearsal server ready",
        "server.chip.rehearsal.after": "Rehearsal server, stops after this render",
        "server.chip.rehearsal.stopping": "Rehearsal server stopping…",
        "server.chip.url.starting": "Connecting to {where}…",
        "server.chip.url.ready": "Connected to {where}",
        "server.chip.url.stopping": "Disconnecting from {where}…",
        "server.chip.rehearsal.failed": "Rehearsal server failed",
        "server.chip.own.starting": "Server starting…",
        "server.chip.own.ready": "Server ready",
        "server.chip.own.after": "Server, stops after this render",
        "server.chip.own.stopping": "Server stopping…",
        "server.chip.own.failed": "Server failed",
        "server.chip.url.failed": "Not connected",
        "server.no_address": "Write the server's address first, like http://192.168.1.20:8000.",
        "server.bad_address": "“{text}” is not a server's address. Write one like http://192.168.1.20:8000.",
        "server.busy_here": "A render is running on the studio's own server. Stop it, or wait for the render, before connecting elsewhere.",
        "cards.too_few": "{count} cards were seen: too few for the servers of this machine, or none was told of.",
        "server.remove_stopped_only": "Only a stopped server can be taken off the list, and the first one stays.",
        "server.key_for_session": "No key store took the API key: it is kept until the studio is closed.",
    }
)
