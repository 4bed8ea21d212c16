"""Reading of workspace files for tools."""

from devassist.contracts.read_file import FileText, ReadFileQuestion
from devassist.files.read_lines import is_binary, read_lines, read_source
from devassist.files.refusals import binary
from devassist.files.safe_open import open_file
from devassist.workspaces import KnownWorkspace

MAX_SEARCHED_BYTES = 2 * 1024 * 1024


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
        return _unify_breaks(read_lines(descriptor, path=path, encoding="utf-8").text)


def search_text_of(path: str, *, workspace: KnownWorkspace) -> str:
    """Do as text_of for a search: at most 2 MB, and what is no UTF-8 is replaced. Raises ToolError."""
    with open_file(path, root=workspace.root, shows_secrets=workspace.shows_secrets) as descriptor:
        content = read_source(descriptor, path=path, limit=MAX_SEARCHED_BYTES)
    if is_binary(content):
        raise binary(path, encoding="utf-8")
    return _unify_breaks(content.decode("utf-8-sig", "replace"))


def split_lines(text: str) -> list[str]:
    """Split what text_of returned into the lines that read_file counts."""
    return text.removesuffix("\n").split("\n") if text else []


def _unify_breaks(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
