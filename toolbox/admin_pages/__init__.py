"""Admin pages of the kernel's tables, and base classes for the admin pages of the domains."""
