"""What keeps upstreams and their schemas up to date: fetching, scheduled refreshes, files in version control."""
