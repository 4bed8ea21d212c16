"""What is to be seen of the server itself: its health, its figures, its log."""
