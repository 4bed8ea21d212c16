"""Tables of this domain: workspaces, and what is remembered about errors."""

from devassist.models.workspaces import Workspace

__all__ = ["Workspace"]
