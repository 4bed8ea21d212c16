"""The catalogue: the tools, resources and prompts that this process offers, and their documentation."""
