"""Commands about users, orgs and channels."""
