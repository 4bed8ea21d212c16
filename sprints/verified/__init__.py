"""Questions whose SQL a person has verified: found for a question, their slots filled, curated in the admin."""
