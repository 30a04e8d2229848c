"""What workers do beside checking: cleaning, summaries, buckets."""
