"""What people's editors push, and agents ask for."""
