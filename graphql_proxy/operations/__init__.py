"""Tools whose documents are rows."""
