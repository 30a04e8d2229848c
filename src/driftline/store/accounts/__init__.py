"""Users, channels, sessions and tokens as rows."""
