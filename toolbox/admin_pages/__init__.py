"""Admin pages of the kernel's tables, and what admin pages of every domain share."""
