"""What documents of sprints show, and what completes their names."""
