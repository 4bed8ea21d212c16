"""Models of this domain: workspaces, code graphs, root causes, documentation, editor states."""

from devassist.models.code_graph import GraphBase, GraphBuild, GraphCall, GraphFile, GraphImport, GraphSymbol
from devassist.models.documents import DocPage, DocSection
from devassist.models.editor import EditorState
from devassist.models.root_causes import RootCause, RootCauseUse, RootCauseWord
from devassist.models.vectors import EmbeddingModel, RootCauseVector
from devassist.models.web import WebAnswer, WebSource
from devassist.models.workspaces import Workspace

__all__ = [
    "DocPage",
    "DocSection",
    "EditorState",
    "EmbeddingModel",
    "GraphBase",
    "GraphBuild",
    "GraphCall",
    "GraphFile",
    "GraphImport",
    "GraphSymbol",
    "RootCause",
    "RootCauseUse",
    "RootCauseVector",
    "RootCauseWord",
    "WebAnswer",
    "WebSource",
    "Workspace",
]
