"""Floors and peers: what a check costs, and who else pays how much for it. `make bench`."""
