"""What people who upgrade stand on: the names that they use, and the database that they have."""
