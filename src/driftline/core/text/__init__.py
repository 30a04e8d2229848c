"""Text processing: decoding, folding, sentences, words."""
