"""Pictures and sound for the pretended renders, from the references and the words of the prompt. numpy and Pillow."""

from studio.rehearsal.paint.painting import SOUND_RATE, Painting, paint

__all__ = ["SOUND_RATE", "Painting", "paint"]
