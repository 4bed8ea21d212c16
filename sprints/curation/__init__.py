"""Curation of verified queries in the admin: run a query, ask a question, promote an answer."""
