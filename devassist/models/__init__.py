"""Tables of this domain: workspaces, and what is remembered about errors."""

from devassist.models.documents import DocPage, DocSection
from devassist.models.editor import EditorState
from devassist.models.web import WebAnswer, WebSource
from devassist.models.workspaces import Workspace

__all__ = ["DocPage", "DocSection", "EditorState", "WebAnswer", "WebSource", "Workspace"]
