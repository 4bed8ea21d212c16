"""Which files look like secrets, by name alone."""

import re

_NAMES = re.compile(
    r"""
    \.env(\..+)? | .+\.env
  | local\.properties | gradle\.properties\.local | (keystore|signing|secrets?)\.properties
  | google-services\.json | GoogleService-Info\.plist
  | id_(rsa|dsa|ecdsa|ed25519)(_sk)? | .+\.(pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|p8)
  | \.netrc | _netrc | \.npmrc | \.pypirc | \.htpasswd | \.pgpass | \.my\.cnf | \.git-credentials | \.dockercfg
  | credentials(\..+)? | (client_)?secrets?([_-]?key)?(\.(json|ya?ml|toml|ini|txt|xml))? | .*service[-_]?account.*\.json
  | terraform\.tfvars | .+\.tfstate(\.backup)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FOLDERS = {".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"}
_INSIDE_GIT = {"config", "credentials"}
_EXAMPLES = re.compile(r".*\.(example|sample|template|dist)", re.IGNORECASE)


def looks_secret(segments: list[str]) -> bool:
    """Tell whether a path, as its segments, names what people keep secrets in; examples of such files are none."""
    if not segments:
        return False
    *folders, name = segments
    # Some file systems do not tell cases apart, nor trailing dots and spaces.
    plain = name.rstrip(". ")
    if any(folder.lower() in _FOLDERS for folder in folders):
        return True
    if ".git" in (folder.lower() for folder in folders) and plain.lower() in _INSIDE_GIT:
        return True
    return bool(_NAMES.fullmatch(plain)) and not _EXAMPLES.fullmatch(plain)
