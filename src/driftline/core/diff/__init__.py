"""Two texts compared: lines, words, similarity, and the forms in which a diff is shown."""
