"""`python -m goldfish` is the command `goldfish`."""

import sys

from goldfish.cli import main

if __name__ == "__main__":
    sys.exit(main())
