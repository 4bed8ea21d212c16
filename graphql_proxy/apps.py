"""The domain as a Django app."""

from django.apps import AppConfig


class GraphqlProxyConfig(AppConfig):
    """Questions put to remote GraphQL APIs."""

    name = "graphql_proxy"
    verbose_name = "GraphQL"
    default_auto_field = "django.db.models.BigAutoField"
