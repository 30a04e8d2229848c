"""What conditions need: those of tags, the evidence about a change, and trying one on stored changes."""
