"""What users write about a watch or a tag, read into checked values, and written out again."""
