"""Settings of django-oauth-toolkit as our authorization server (toolbox/oauth/authorization_server.py)."""

from typing import Any

DAY_SECONDS = 86_400

OAUTH_SERVER: dict[str, Any] = {
    "OAUTH2_VALIDATOR_CLASS": "toolbox.oauth.authorization_server.Validator",
    "SCOPES_BACKEND_CLASS": "toolbox.oauth.authorization_server.Scopes",
    "ACCESS_TOKEN_GENERATOR": "toolbox.oauth.authorization_server.generate_access_token",
    "REFRESH_TOKEN_GENERATOR": "toolbox.oauth.authorization_server.generate_refresh_token",
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3_600,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 30 * DAY_SECONDS,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
    "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": ["none", "client_secret_post", "client_secret_basic"],
    "ALLOWED_REDIRECT_URI_SCHEMES": [
        "https",
        "http",
        "cursor",
        "vscode",
        "vscode-insiders",
    ],  # http: only for loopback addresses (toolbox/oauth/endpoints.py)
    "ALLOW_LOCALHOST_LOOPBACK": True,
    "APPLICATION_ADMIN_CLASS": "toolbox.admin_pages.oauth_clients.ClientAdmin",
    "ACCESS_TOKEN_ADMIN_CLASS": "toolbox.admin_pages.oauth_clients.NotShown",
    "GRANT_ADMIN_CLASS": "toolbox.admin_pages.oauth_clients.NotShown",
    "ID_TOKEN_ADMIN_CLASS": "toolbox.admin_pages.oauth_clients.NotShown",
    "REFRESH_TOKEN_ADMIN_CLASS": "toolbox.admin_pages.oauth_clients.NotShown",
    "CLIENT_SECRET_HASHER": "sha256_secret",
    "DCR_ENABLED": True,
    "DCR_REGISTRATION_PERMISSION_CLASSES": ["oauth2_provider.dcr.AllowAllDCRPermission"],
    "DCR_REGISTRATION_TOKEN_EXPIRE_SECONDS": 30 * DAY_SECONDS,
    "CIMD_ENABLED": True,
    "CIMD_REGISTRATION_PERMISSION_CLASSES": ["toolbox.oauth.authorization_server.MetadataDocumentLimit"],
    # RFC 9700 (best current practice): no implicit or password grant, only S256, issuer in responses, hashed tokens.
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
}
