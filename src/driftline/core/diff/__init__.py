"""Compares two texts: lines, words, similarity, and the output formats of a diff."""
