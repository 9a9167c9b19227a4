"""API keys: in the desktop's key store, else for this session only, and said so."""

from __future__ import annotations

import os

from studio.core.logs import hide

_SERVICE = "h3studio"
_session: dict[str, str] = {}


def api_key(url: str) -> str | None:
    """The key for a server: `H3_API_KEY` of the environment first, then this session's, then the key store's."""
    key = os.environ.get("H3_API_KEY") or _session.get(url)
    if key is None:
        import keyring  # reads the plug-ins of the whole environment: not before there is something to ask it
        from keyring.errors import KeyringError

        try:
            key = keyring.get_password(_SERVICE, url)
        except KeyringError:
            key = None
    if key:
        hide(key)
    return key or None


def remember(url: str, key: str) -> bool:
    """Keep a key. True when the desktop's key store took it; False when it lives for this session only."""
    import keyring
    from keyring.errors import KeyringError

    hide(key)
    _session[url] = key
    try:
        keyring.set_password(_SERVICE, url, key)
    except KeyringError:
        return False
    return True


def forget(url: str) -> None:
    """Drop a key everywhere."""
    import keyring
    from keyring.errors import KeyringError

    _session.pop(url, None)
    try:
        keyring.delete_password(_SERVICE, url)
    except KeyringError:
        return
