"""User-defined expressions: CSS, XPath, JSONPath, text patterns, and limits on their cost."""
