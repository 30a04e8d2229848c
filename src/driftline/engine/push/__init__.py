"""Runs that a crawler pushes."""
