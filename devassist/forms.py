"""The admin form of workspaces."""

from django import forms
from django.core.exceptions import ValidationError

from devassist.models import Workspace
from devassist.roots import problem_of_root


class WorkspaceForm(forms.ModelForm):  # type: ignore[type-arg]
    """A workspace; the disk of the machine that serves the admin is looked at."""

    class Meta:
        model = Workspace
        fields = ["name", "root", "is_default", "shows_secrets", "is_open", "keys"]

    def clean_root(self) -> str:
        """Refuse a root that is no folder, or the system's."""
        root: str = self.cleaned_data["root"]
        if problem := problem_of_root(root):
            raise ValidationError(problem)
        return root
