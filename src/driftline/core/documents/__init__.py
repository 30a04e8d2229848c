"""Documents that are no HTML (PDF, office files, tables, calendars) as lines of text with their places."""
