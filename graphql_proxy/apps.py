"""The domain as a Django app."""

from django.apps import AppConfig


class GraphqlProxyConfig(AppConfig):
    """The app config of the GraphQL proxy."""

    name = "graphql_proxy"
    verbose_name = "GraphQL"
    default_auto_field = "django.db.models.BigAutoField"
