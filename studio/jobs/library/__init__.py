"""The library of results: an index that can be deleted and made again from the files, and what is done with results."""

from studio.jobs.library import sentences as _sentences  # noqa: F401  (registers the texts of the codes)
from studio.jobs.library.entry import Entry
from studio.jobs.library.errors import LibraryError
from studio.jobs.library.library import Library
from studio.jobs.library.marks import Marks
from studio.jobs.library.query import Query
from studio.jobs.library.recipe import Sidecar
from studio.jobs.library.scan import Found
from studio.jobs.library.storage import Usage

__all__ = ["Entry", "Found", "Library", "LibraryError", "Marks", "Query", "Sidecar", "Usage"]
