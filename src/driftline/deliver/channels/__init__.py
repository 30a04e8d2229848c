"""Channels: mail, webhook, chat, bus."""
