"""Reading code, finding callers, remembering past root causes."""
