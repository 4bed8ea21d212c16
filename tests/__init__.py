"""What holds Toolroom to its word, room for room as the code."""
