"""Recording runs, and the queries that judging needs."""
