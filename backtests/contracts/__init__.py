"""What tools accept and answer, and the errors. Imports no Django."""
