"""Reading of workspace files for tools."""

from devassist.contracts.read_file import FileText, ReadFileQuestion
from devassist.files.read_lines import read_lines
from devassist.files.safe_open import open_file
from devassist.workspaces import KnownWorkspace


def read(ask: ReadFileQuestion, *, workspace: KnownWorkspace) -> FileText:
    """Read the requested lines. Raises ToolError with the codes of files."""
    with open_file(ask.file_path, root=workspace.root, shows_secrets=workspace.shows_secrets) as descriptor:
        lines = read_lines(
            descriptor, path=ask.file_path, encoding=ask.encoding, first=ask.line_start or 1, last=ask.line_end
        )
    return FileText(
        file_path=ask.file_path,
        content=lines.text,
        line_count=lines.count,
        encoding=lines.encoding,
        file_size=lines.file_size,
    )


def text_of(path: str, *, workspace: KnownWorkspace) -> str:
    """Read a whole file with line feeds as line breaks. Raises ToolError with the codes of files."""
    with open_file(path, root=workspace.root, shows_secrets=workspace.shows_secrets) as descriptor:
        text = read_lines(descriptor, path=path, encoding="utf-8").text
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
