"""Pages of tools, and the forms that call them."""
