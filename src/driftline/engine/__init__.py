"""One check end to end, and the worker that runs many of them."""
