"""The page that teaches a question, and who is told that theirs is answered."""
