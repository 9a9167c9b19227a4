"""What is said of the settings file."""

from studio.core.words import sentences

sentences(
    {
        "settings.damaged": "The settings file could not be read. It was kept as {kept}; the studio starts with its defaults.",
        "settings.bad_address": "“{text}” is not an address. Write one like https://example.org/renders.",
        "settings.newer": "The settings were written by a newer version of the studio: they are used, and not changed.",
    }
)
