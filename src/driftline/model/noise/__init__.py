"""What is known of noise: ignored areas, places that differ check after check, values that flip."""
