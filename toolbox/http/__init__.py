"""HTTP requests and responses, shared by every transport."""
