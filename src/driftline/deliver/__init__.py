"""From a recorded report to a delivered message."""
