"""What an answer is before it is read: a block page, a shell, a file, a failure."""
