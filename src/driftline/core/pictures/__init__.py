"""Pictures of pages: what differs between two, and where."""
