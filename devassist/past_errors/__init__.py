"""Past root causes as people see them: why each was found, and one by itself."""
