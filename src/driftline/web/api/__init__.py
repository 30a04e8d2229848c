"""What programs may ask for, under /api/v1: one module a resource."""
