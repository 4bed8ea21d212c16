"""How a run is stored: the lists of its events, its orders, and which values count. Pure."""
