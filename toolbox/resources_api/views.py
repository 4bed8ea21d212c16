"""
What a domain's resources are made of.

A resource is a model, a serializer, a filter set and the fields it may be ordered by; a ResourceRouter gives the
domain's resources their addresses. Everything is read only; curation happens in the admin.
"""

import re
from collections.abc import Callable
from typing import Any, ClassVar

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.routers import APIRootView, DefaultRouter
from rest_framework.viewsets import ReadOnlyModelViewSet

from toolbox.resources_api.access import Page
from toolbox.resources_api.filters import description_of


class ReadOnlyResource(ReadOnlyModelViewSet[Any]):
    """
    The rows of one model, as a list and one by one. Its domain is the model's app.

    Subclasses state `queryset` (select what the serializer follows), `serializer_class`, `filterset_class`,
    `ordering` and `ordering_fields`; a primary key that is no number needs a `key_form` of its own.
    """

    pagination_class = Page
    lookup_value_regex = "[^/]+"
    key_form = "[0-9]{1,18}"
    ordering_fields: ClassVar[list[str]] = []

    @property
    def domain(self) -> str:
        """Name the domain whose scope is needed."""
        return description_of(self.get_queryset().model).app_label

    def get_object(self) -> Any:
        """Give the row; what cannot be a key is not found, and not asked of the database."""
        if not re.fullmatch(self.key_form, self.kwargs["pk"], re.ASCII):
            raise NotFound("There is no such row.")
        return super().get_object()


@extend_schema(exclude=True)
class DomainRoot(APIRootView):
    """The addresses of a domain's resources."""

    domain = "?"


class ResourceRouter(DefaultRouter):
    """Addresses of one domain's resources."""

    include_format_suffixes = False

    def __init__(self, domain: str) -> None:
        self.domain = domain
        super().__init__()

    def get_api_root_view(self, api_urls: Any = None) -> Callable[..., Any]:
        """List the resources to whoever may read the domain."""
        names = {prefix: self.routes[0].name.format(basename=basename) for prefix, _, basename in self.registry}
        return DomainRoot.as_view(api_root_dict=names, domain=self.domain)


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """API keys, as OpenAPI describes them."""

    target_class = "toolbox.resources_api.access.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Describe the header."""
        return {"type": "http", "scheme": "bearer"}
