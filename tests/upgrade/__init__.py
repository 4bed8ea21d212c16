"""What people who upgrade rely on: the names that they use, and their database."""
