"""A database that earlier code wrote: `python -m tests.stored.database` writes one of the present code."""
