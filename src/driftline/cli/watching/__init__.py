"""Commands that list, change and check watches."""
