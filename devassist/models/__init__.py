"""Tables of this domain: workspaces, and what is remembered about errors."""

from devassist.models.root_causes import RootCause, RootCauseUse, RootCauseWord
from devassist.models.workspaces import Workspace

__all__ = ["RootCause", "RootCauseUse", "RootCauseWord", "Workspace"]
