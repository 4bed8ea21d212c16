"""HTTP headers and bodies, shared by every transport."""
