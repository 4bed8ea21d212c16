"""The shipped example of an editor state (samples/editor_context.json)."""

from datetime import UTC, datetime
from pathlib import Path

from django.contrib.auth.models import User

import devassist
from devassist.editor.state import read_state
from devassist.models import EditorState

SAMPLE = Path(devassist.__file__).parent / "samples" / "editor_context.json"
WRITTEN_AT = datetime(2026, 11, 22, tzinfo=UTC)


def ensure_sample_state(username: str) -> bool:
    """Store the example for a user without a state. Returns False if the user has one already."""
    owner = User.objects.get(username=username)
    if EditorState.objects.filter(owner=owner).exists():
        return False
    parts = read_state(SAMPLE.read_bytes()).parts()
    EditorState.objects.bulk_create(
        [EditorState(owner=owner, part=part, content=content, pushed_at=WRITTEN_AT) for part, content in parts.items()],
        ignore_conflicts=True,
    )
    return True
