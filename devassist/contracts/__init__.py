"""Input and output models, one module for each tool. Imports no Django."""
