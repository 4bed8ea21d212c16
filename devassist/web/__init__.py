"""Search of documentation: public sources on the web, and ingested pages."""
