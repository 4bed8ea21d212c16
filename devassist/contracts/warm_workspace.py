"""Input and output models of our own tool `warm_workspace`."""

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from devassist.contracts.places import WORKSPACE, WorkspaceName
from toolbox.contract.models import ToolInput, ToolOutput

WARMING_SECONDS = 120.0


class WarmQuestion(ToolInput):
    """Which workspace."""

    workspace: WorkspaceName | None = WORKSPACE


class WarmServer(ToolOutput):
    """How one language server fared."""

    model_config = ConfigDict(alias_generator=to_camel)

    server: str = Field(description="The server's name.")
    files: int = Field(description="How many files of the workspace it is asked about.")
    is_ready: bool = Field(description="It has indexed, and answers.")
    seconds: float = Field(description="How long that took.")
    failure: str | None = Field(None, description="Why it is not ready.")


class WarmWorkspace(ToolOutput):
    """The workspace's language servers, and its code graph."""

    model_config = ConfigDict(alias_generator=to_camel)

    workspace: str = Field(description="The workspace.")
    graph_is_ready: bool = Field(description="The code graph describes the files as they are.")
    servers: list[WarmServer] = Field(description="Each server that its files' questions go to.")
