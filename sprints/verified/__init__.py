"""Questions whose SQL a person has verified: found for a question, checked, their slots filled."""
