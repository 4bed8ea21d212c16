"""Format of log records: text, or one JSON object per line; each with the id of its request."""

import logging
from datetime import UTC, datetime

import orjson

from toolbox.audit.current_request import current_request
from toolbox.text.redaction import mask_secrets


class RequestIds(logging.Filter):
    """Adds `request_id`, and `request` for text: the id in brackets, or nothing."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Pass every record on."""
        known = current_request.get()
        record.__dict__.update(request_id=known, request=f" [{known}]" if known else "")
        return True


class TextLines(logging.Formatter):
    """One line of text, with the exception if any."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the record; secrets are masked as in the audit log."""
        return _mask(super().format(record))


class JsonLines(logging.Formatter):
    """One object per line: at, level, logger, message, process, and request_id and exception if any."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the record; secrets are masked as in the audit log."""
        said = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _mask(record.getMessage()),
            "process": record.process,
        }
        if request_id := getattr(record, "request_id", ""):
            said["request_id"] = request_id
        if record.exc_info:
            said["exception"] = _mask(self.formatException(record.exc_info))
        return orjson.dumps(said, default=str).decode()


def _mask(text: str) -> str:
    return mask_secrets(text, is_code=True)
