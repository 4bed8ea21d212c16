"""Root causes of past errors: storage, and search by similarity and words."""
