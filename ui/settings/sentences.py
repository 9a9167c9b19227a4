"""What the Settings workspace has to say."""

from studio.core.words import sentences

sentences(
    {
        "settings.key_kept": "The key for {where} is in the desktop's key store.",
        "settings.key_for_session": "No key store took the key for {where}: it is kept for this session only.",
        "settings.key_forgotten": "The key for {where} is forgotten.",
        "settings.diagnostics_copied": "The diagnostics are on the clipboard. Paste them into your report.",
        "settings.folder_refused": "{path} cannot be written to ({reason}). Choose another folder.",
    }
)
