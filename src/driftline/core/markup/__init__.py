"""Information in the markup besides its text: structured data, layout, boilerplate."""
