"""What waits to be sent, summarized or compared, under leases."""
