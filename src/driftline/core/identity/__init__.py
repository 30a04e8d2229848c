"""Identity: fingerprints, ids, URLs, timestamps, change types, and comparison by key."""
