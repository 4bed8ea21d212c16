"""Tools on code: read files, find callers, search past root causes."""
