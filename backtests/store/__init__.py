"""Rules of storage: lists of events, states of orders, valid values. Pure."""
