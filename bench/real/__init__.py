"""Driftline on pages that somebody else made: real histories and labelled pairs, kept outside of the repository."""
