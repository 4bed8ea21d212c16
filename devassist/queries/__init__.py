"""SQL of this domain, one module for each group of tables."""
