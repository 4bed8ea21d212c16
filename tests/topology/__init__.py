"""Parts on separate machines: deployments, and installed brokers."""
