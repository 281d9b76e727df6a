"""Which Python runs the program under test: that of the tests, or one where a built wheel is installed."""

import os
import sys
from typing import Final

#: `SHIPPED_PYTHON=/path/to/python` tests what is installed there, from outside, instead of the source tree.
PYTHON: Final = os.environ.get("SHIPPED_PYTHON", sys.executable)
