"""Embedded parts: started on demand, shared by processes, stopped by the last."""
