"""A field for SQL with the views beside it, and a button that runs what is typed before it is saved."""

from typing import Any

from django.urls import reverse
from unfold.widgets import UnfoldAdminTextareaWidget

from sprints.schema.reading import load_schema
from toolbox.database import event_loop


class SqlEditor(UnfoldAdminTextareaWidget):  # type: ignore[misc]
    """A text box for a statement; a click on a view or a column of the schema puts its name where the cursor is."""

    template_name = "sprints/sql_editor.html"

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Add the views, and where the statement is run."""
        attrs = {"rows": 16, "spellcheck": "false"} | (attrs or {})
        context: dict[str, Any] = super().get_context(name, value, attrs)
        return context | {
            "views": event_loop.run(load_schema()).tables,
            "run_address": reverse("admin:sprints_verifiedquery_try_page"),
        }
