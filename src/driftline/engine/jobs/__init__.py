"""Background jobs of a worker besides checking: retention, summaries, buckets."""
