"""Runs the program: ``fibula serve``, ``fibula mcp``, ... as ``uvx fibula mcp`` starts it."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> int:
    """Runs the program on the arguments of the process; returns its exit status."""
    # The program has its own way of ending; Python would only note the signal.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
