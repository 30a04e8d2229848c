"""How people are notified: subscriptions, templates of channels, feeds."""
