"""What curators do with verified queries in the admin: run one, ask a question, keep a good answer."""
