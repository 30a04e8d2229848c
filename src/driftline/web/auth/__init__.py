"""Authentication, authorization and sign-in."""
