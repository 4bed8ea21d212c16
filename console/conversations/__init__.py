"""Pages where people ask questions and read the answers."""
