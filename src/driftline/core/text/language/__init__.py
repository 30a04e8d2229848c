"""Natural language: words and sentences in any script, dates, what a text is about, which of its words always count."""
