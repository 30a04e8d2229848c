"""A small local site whose pages change by a script, with noise in every answer."""
