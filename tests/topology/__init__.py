"""Parts on machines of their own: what is deployed, and engines that the machine has."""
