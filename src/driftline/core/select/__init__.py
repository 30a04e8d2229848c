"""What users write to narrow a page: CSS, XPath, JSONPath, patterns, and what they may cost."""
