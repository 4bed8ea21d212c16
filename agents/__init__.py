"""The top: conversations run as jobs; a language model chooses tools, and every step is stored."""
