"""A form field for SQL with a list of the views and a button that runs the unsaved statement."""

from typing import Any

from django.urls import reverse
from unfold.widgets import UnfoldAdminTextareaWidget

from sprints.schema.reading import load_schema
from toolbox.database import event_loop


class SqlEditor(UnfoldAdminTextareaWidget):  # type: ignore[misc]
    """A text box for a statement. A click on a view or a column inserts its name at the cursor."""

    template_name = "sprints/sql_editor.html"

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Add the views, and the address that runs the statement."""
        attrs = {"rows": 16, "spellcheck": "false"} | (attrs or {})
        context: dict[str, Any] = super().get_context(name, value, attrs)
        return context | {
            "views": event_loop.run(load_schema()).tables,
            "run_address": reverse("admin:sprints_verifiedquery_try_page"),
        }
