"""What markup says beside its text: structured data, layout, boilerplate."""
