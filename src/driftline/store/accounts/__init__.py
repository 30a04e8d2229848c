"""Users, channels, subscriptions, sessions and tokens."""
