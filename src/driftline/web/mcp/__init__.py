"""Tools for programs over the Model Context Protocol: the same services as the API."""
