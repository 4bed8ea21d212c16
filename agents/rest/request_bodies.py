"""What the addresses of conversations take, each with an example."""

from django.http import HttpRequest

from agents.contracts import Approval, Fork, NewConversation, NewMessage, Rejection, Rename
from agents.rest.replies import body_of
from toolbox.contract.errors import KERNEL_ENVELOPE, Refusal
from toolbox.dispatch.arguments import parse_arguments
from toolbox.dispatch.request_body import Form, Read

CREATE = Form(question=NewConversation, example=NewConversation(toolkits=["linescore"], max_steps=12))
RENAME = Form(question=Rename, example=Rename(title="Carolina in February"))
FORK = Form(question=Fork, example=Fork(message=2))
MESSAGE = Form(question=NewMessage, example=NewMessage(text="How did Carolina do in February 2025?"))
APPROVAL = Form(question=Approval, example=Approval())
REJECTION = Form(question=Rejection, example=Rejection(word="Not that run."))


def read(request: HttpRequest, *, form: Form[Read]) -> Read:
    """Read a body by its form; raises ToolError as a tool's arguments would."""
    question = parse_arguments(form, body_of(request))
    if not isinstance(question, form.question):
        raise TypeError(f"{type(question)} is not what the form asks for")
    return question


def page_number(sent: str, *, name: str, usual: int, most: int, least: int = 1) -> int:
    """Read a whole number of a query, clamped to what may be; raises Refusal where it is none."""
    if not sent:
        return usual
    if not (sent.isascii() and sent.lstrip("-").isdigit()):
        raise Refusal(
            KERNEL_ENVELOPE.bad_input, f"{name} is no whole number.", suggestion=f"Give {name} from {least} to {most}."
        )
    return max(least, min(int(sent[:20]), most))
