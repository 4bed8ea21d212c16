"""A world of two workers in virtual time, in which one seed is one history."""
