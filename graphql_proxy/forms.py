"""Admin forms. Secrets of headers are write-only, and broken hints are refused."""

from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from graphql_proxy.fixes.hint_rows import problem_of
from graphql_proxy.models import ErrorHint, Upstream, UpstreamHeader
from graphql_proxy.secrets import seal
from toolbox.database import event_loop
from toolbox.outbound.failures import WebFailure
from toolbox.outbound.host_pools import may_connect, resolve

_GROUPS_OF = {
    "field": ("field", "type"),
    "level": ("field", "type"),
    "type": ("type",),
    "argument": ("argument",),
    "enum_value": ("type", "value"),
    "selection": ("type",),
}
_OURS = frozenset({"host", "content-length", "content-type", "accept", "accept-encoding", "transfer-encoding"})


class UpstreamForm(forms.ModelForm):  # type: ignore[type-arg]
    """An upstream; a new origin makes its stored secrets void (see UpstreamAdmin)."""

    class Meta:
        model = Upstream
        fields = "__all__"  # noqa: DJ007 - every column is a person's to decide

    def clean_address(self) -> str:
        """Refuse a value that is not a web address."""
        address: str = self.cleaned_data["address"].strip()
        try:
            parts = urlsplit(address)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise ValidationError("An address begins with http:// or https:// and names a host.")
        return address

    def clean(self) -> dict[str, Any]:
        """Refuse a private address of an upstream that is not marked local."""
        cleaned = super().clean() or self.cleaned_data
        address, is_local = cleaned.get("address"), bool(cleaned.get("is_local"))
        if address and not _may_connect(address, is_local=is_local):
            self.add_error("address", _NEVER if is_local else _PRIVATE)
        return cleaned


_PRIVATE = (
    "Its host stands at a private address, where requests are refused. Tick Is local below if it may stand there."
)
_NEVER = "Its host stands at an address where requests never go, such as one that holds a cloud's credentials."


def _may_connect(address: str, *, is_local: bool) -> bool:
    """Return whether requests may connect to the host now. A host that does not resolve yet is allowed."""
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        found = event_loop.run(resolve(parts.hostname or "", port=port))
    except WebFailure:
        return True
    return all(may_connect(one, is_local=is_local) for one in found)


class HeaderForm(forms.ModelForm):  # type: ignore[type-arg]
    """A header: its secret is typed, or named by its environment variable, and never comes back."""

    secret = forms.CharField(
        required=False,
        max_length=8_000,
        widget=UnfoldAdminPasswordWidget(render_value=False, attrs={"autocomplete": "new-password"}),
        help_text="Kept encrypted, never shown again. Empty keeps what is stored.",
    )

    class Meta:
        model = UpstreamHeader
        fields = ["name", "variable"]

    def clean_name(self) -> str:
        """Refuse headers that requests set themselves."""
        name: str = self.cleaned_data["name"]
        if name.lower() in _OURS:
            raise ValidationError("Requests set this header themselves.")
        return name

    def clean_secret(self) -> str:
        """Refuse a value that a header cannot carry."""
        secret: str = self.cleaned_data["secret"]
        if not secret.isascii() or not secret.isprintable():
            raise ValidationError("A header's value has printable ASCII characters only.")
        return secret

    def clean(self) -> dict[str, Any]:
        """Require exactly one source of the value: typed, stored or an environment variable."""
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        if cleaned["secret"] and cleaned["variable"]:
            raise ValidationError("Type the secret or name its variable, not both.")
        if not cleaned["secret"] and not cleaned["variable"] and not self.instance.sealed_value:
            raise ValidationError("Type the secret, or name its variable.")
        return cleaned

    def save(self, commit: bool = True) -> UpstreamHeader:  # noqa: FBT001, FBT002 - Django's signature
        """Encrypt a typed secret. Delete the stored one if a variable replaces it."""
        if self.cleaned_data["secret"]:
            self.instance.sealed_value = seal(self.cleaned_data["secret"])
        elif self.cleaned_data["variable"]:
            self.instance.sealed_value = b""
        row: UpstreamHeader = super().save(commit)
        return row


class HintForm(forms.ModelForm):  # type: ignore[type-arg]
    """A hint that can work: its pattern compiles and gives the groups that its lookup wants."""

    class Meta:
        model = ErrorHint
        fields = "__all__"  # noqa: DJ007 - every column is a person's to decide

    def clean(self) -> dict[str, Any]:
        """Refuse a pattern that cannot be used, and a text that the message layer cannot contain."""
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        if cleaned["matcher"] == ErrorHint.Matcher.REGEX and (problem := problem_of(cleaned["pattern"])):
            self.add_error("pattern", f"This pattern cannot be used: {problem}.")
        missing = [name for name in _GROUPS_OF.get(cleaned["lookup"], ()) if f"(?P<{name}>" not in cleaned["pattern"]]
        if missing:
            self.add_error("pattern", f"The lookup wants the named groups {', '.join(missing)}.")
        if cleaned["layer"] == ErrorHint.Layer.MESSAGE and (cleaned["lookup"] or "{" in cleaned["hint"]):
            self.add_error("hint", "After the message stand fixed words alone: no lookup, no {names}.")
        return cleaned


class TryForm(forms.Form):
    """An error to try hints on."""

    error = forms.CharField(
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}), max_length=10_000, help_text="As the upstream words it."
    )
    upstream: Any = forms.ModelChoiceField(
        queryset=None,
        required=False,
        widget=UnfoldAdminSelectWidget(),
        help_text="Whose schema is looked into.",
    )
    query = forms.CharField(
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
        max_length=20_000,
        required=False,
        help_text="The document that it is about; only hints about variables look at it.",
    )

    def __init__(self, *args: Any, upstreams: QuerySet[Upstream], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["upstream"].queryset = upstreams  # type: ignore[attr-defined]
