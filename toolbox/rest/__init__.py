"""Tools over REST."""
