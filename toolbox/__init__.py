"""The kernel: what a tool is, how it is offered, who may call it, what was called."""
