"""Embedded servers: started on demand, shared by processes, stopped by the last one."""
