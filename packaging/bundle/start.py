"""The bundle's entry point. It stands alone in its folder: a script's neighbours would shadow other modules."""

import os
import sys

# The bundle's loader path is for this process, which has read it. What the studio starts (a server, ssh, a browser)
# needs its own libraries.
theirs = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
if theirs is None:
    os.environ.pop("LD_LIBRARY_PATH", None)
else:
    os.environ["LD_LIBRARY_PATH"] = theirs

from ui.__main__ import main  # noqa: E402

sys.exit(main())
