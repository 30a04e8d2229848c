"""Kind `page`: what really changed on a page, and nothing else."""
