"""From a recorded report to a message that somebody got."""
