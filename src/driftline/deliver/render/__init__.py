"""A message in the forms that channels need."""
