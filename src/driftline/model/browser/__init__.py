"""What a browser is asked to do for a watch: steps, sessions and secrets, a page to pick from."""
