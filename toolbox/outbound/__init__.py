"""HTTP requests to other hosts."""
