"""The edge: environment, settings, addresses, servers, and the embedded parts."""
