"""Queues in the database, with leases: deliveries, summaries, messages in and out."""
