"""What is said while the model is fetched."""

from studio.core.words import sentences

sentences(
    {
        "model.gated": "{repository} is only given to accounts that were granted access.",
        "model.gated.mend": "Ask for it on {page}, then log in here with: hf auth login",
        "model.refused": "The hub did not give this account access to {repository}.",
        "model.refused.mend": "Access may not be granted yet: look on {page}.",
        "model.login": "The hub does not know {repository}, or only tells accounts that are logged in.",
        "model.login.mend": "Log in with: hf auth login. Then look on {page} whether access was granted.",
        "model.no_room": "{free} GB are free in {path}; {wanted} GB are still to come.",
        "model.no_room.mend": "Free space, or choose a folder on another disk.",
        "model.hub_lacks": "{repository} has nothing that fits {names}.",
        "model.unreachable": "The hub cannot be reached: {why}.",
        "model.unreachable.mend": "What is there already is kept: start again, and it goes on from there.",
        "model.gave_up": "{name} broke off {times} times without getting further: {why}.",
        "model.disk": "{path} cannot be written: {why}.",
        "model.fetched": "The model is complete: {path}",
        "model.ended": "The download ended by itself (code {status}).",
    }
)
