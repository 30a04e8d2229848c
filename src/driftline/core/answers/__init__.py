"""Classifies an answer before it is read: a block page, a script shell, a file, a failure."""
