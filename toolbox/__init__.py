"""The kernel: what a tool is, who may call it, how calls are served and recorded."""

VERSION = "0.1.0"
"""The version of Toolroom that servers and clients are told."""
