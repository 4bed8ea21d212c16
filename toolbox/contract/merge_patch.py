"""JSON merge patches (RFC 7396), the form of `retryWith`."""

from typing import Any


def apply_merge_patch(target: Any, *, patch: Any) -> Any:
    """Return `target` with the patch applied: null removes a member, objects merge, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = apply_merge_patch(result.get(name), patch=value)
    return result
