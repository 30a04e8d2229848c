"""`driftline demo`."""
