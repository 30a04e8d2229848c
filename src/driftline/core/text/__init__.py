"""Text as it comes from outside: decoded, folded, cut into sentences and words."""
