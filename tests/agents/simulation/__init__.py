"""A simulation of two workers in virtual time; one seed is one history."""
