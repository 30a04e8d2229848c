"""Conditions on notifications: written as text, checked when saved, decided with a reason."""
