"""What may be asked and what is answered, one module for each tool. Imports no Django."""
