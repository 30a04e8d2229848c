"""What runs leave behind, and what judging asks of the past."""
