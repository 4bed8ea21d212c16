"""
Render a tool's reply as the result of `tools/call`, the same on every transport.

Does not import the SDK, whose types take a second to load: workers and commands that finish tasks do not need it.
"""

import orjson

from toolbox.contract.encoding import encode
from toolbox.contract.tool import Tool
from toolbox.dispatch.dispatch import Reply


def tool_result(reply: Reply, *, tool: Tool | None, has_links: bool = True) -> bytes:
    """
    Render the result of a call: the reply, unchanged, as text and as structured content, and links after the text.

    An answer that may not be an object goes under `result`. Content blocks become the content itself, without
    structured content.
    """
    is_answer = tool is not None and not reply.is_refusal
    if tool and is_answer and tool.returns_contents:
        return b'%b,"isError":false}' % reply.body[:-1]
    structured = b'{"result":%b}' % reply.body if tool and is_answer and tool.wraps else reply.body
    links = b"".join([b",%b" % encode(link) for link in reply.links]) if has_links else b""
    return b'{"content":[{"type":"text","text":%b}%b],"isError":%b,"structuredContent":%b}' % (
        orjson.dumps(reply.body.decode()),
        links,
        b"true" if reply.is_refusal else b"false",
        structured,
    )
