"""How well questions are answered, measured against statements that people have written."""
