"""
Storage of uploaded files for `ingest_backtest`, in the database so that any worker can read them.

A file is kept for a day. Only its owner can use it; of more than MAX_FILES of an owner the oldest are deleted.
"""

from datetime import timedelta
from pathlib import Path
from uuid import UUID

from django.db.models.functions import Now

from backtests.models import UploadedFile

KEPT = timedelta(days=1)
MAX_FILE_BYTES = 52_428_800
MAX_FILES = 50
MAX_NAME_CHARACTERS = 100


def keep_file(path: Path, *, name: str, owner_id: int | None) -> UploadedFile:
    """Store a file's content; delete the owner's oldest files and all expired ones."""
    UploadedFile.objects.filter(uploaded_at__lt=Now() - KEPT).delete()
    owned = UploadedFile.objects.filter(owner_id=owner_id).order_by("-uploaded_at", "file_id")
    oldest = list(owned.values_list("pk", flat=True)[MAX_FILES - 1 : MAX_FILES + MAX_FILES])
    UploadedFile.objects.filter(pk__in=oldest).delete()
    content = path.read_bytes()
    return UploadedFile.objects.create(owner_id=owner_id, name=name, content=content, size_bytes=len(content))


def write_file(file_id: UUID, *, owner_id: int | None, folder: Path) -> Path | None:
    """Write a stored file into a folder of its own; return None if the owner has no file with the id."""
    alive = UploadedFile.objects.filter(uploaded_at__gte=Now() - KEPT)
    file = alive.filter(pk=file_id, owner_id=owner_id).first()
    if file is None:
        return None
    place = folder / str(file_id)
    place.mkdir(exist_ok=True)
    path = place / (Path(file.name).name or "file")
    path.write_bytes(file.content)
    return path
