"""`python -m driftline`."""

from driftline.cli import main

main()
