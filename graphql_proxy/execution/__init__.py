"""Send one document to one upstream, and read what comes back."""
