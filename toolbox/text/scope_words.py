"""Words that change what a sentence means without naming anything: negation, exclusion, comparison, order, extremes."""

import re

from toolbox.text.names import words

_SCOPE_WORDS = frozenset(
    word.plain
    for word in words(
        "not no none never neither nor without except excluding besides only before after since until till than more "
        "less fewer over under above below most least best worst first last both half twice"
    )
)
_NO_SUPERLATIVES = frozenset(
    word.plain
    for word in words(
        "test latest request rest west east guest interest invest forest harvest honest modest protest quest suggest "
        "contest digest nest best"
    )
)
_SUPERLATIVE = re.compile(r"[a-z]{2,}est")


def is_scope_word(word: str) -> bool:
    """Return whether a plain word (toolbox.text.names.plain) is one that an answer must not ignore."""
    is_superlative = _SUPERLATIVE.fullmatch(word) is not None and word not in _NO_SUPERLATIVES
    return word in _SCOPE_WORDS or word.endswith("n't") or is_superlative
