"""Channels, subscriptions and deliveries."""
