"""Text that differs between visits although nobody edited it, and notices that must never be taken for it."""
