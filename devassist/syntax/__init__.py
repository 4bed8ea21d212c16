"""What stands where in a source file: its functions, and what it imports. By tree-sitter; imports no Django."""
