"""The kinds of watches, one folder each; `registry` is the table of them."""
