"""Tables of this domain: workspaces, what is remembered about errors, what was read elsewhere, what editors show."""

from devassist.models.documents import DocPage, DocSection
from devassist.models.editor import EditorState
from devassist.models.root_causes import RootCause, RootCauseUse, RootCauseWord
from devassist.models.web import WebAnswer, WebSource
from devassist.models.workspaces import Workspace

__all__ = [
    "DocPage",
    "DocSection",
    "EditorState",
    "RootCause",
    "RootCauseUse",
    "RootCauseWord",
    "WebAnswer",
    "WebSource",
    "Workspace",
]
