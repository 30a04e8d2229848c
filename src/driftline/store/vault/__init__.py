"""Secrets and browser sessions: encrypted before they reach the database, and opened only for a request."""
