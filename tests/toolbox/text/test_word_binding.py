"""Words of a question are bound to names, then to phrases, then to near ones; the rest is unbound."""

from collections.abc import Sequence

import pytest

from toolbox.contract.slots import Candidate, Slot
from toolbox.text.names import NamedEntity, mentions
from toolbox.text.scope_words import is_scope_word
from toolbox.text.word_binding import FILLER, NUMBER, bind_words, make_vocabulary

NAMES = [NamedEntity(value="DET", label="Detroit Red Wings", spellings=("Detroit", "Wings"))]
VOCABULARY = make_vocabulary(
    {(FILLER, ""): "the,did", ("outcome", "WIN"): "win,wins", ("venue", "home"): "at home", ("at", ""): "at"}
)


async def find_names(text: str) -> Sequence[Candidate]:
    return mentions(text, names=NAMES)


async def no_samples() -> Sequence[str]:
    return ()


SLOTS = [Slot(name="team", noun="team", resolve=find_names, samples=no_samples)]


@pytest.mark.parametrize(
    ("text", "terms", "unbound"),
    [
        ("Detroit wins", [("team", "DET"), ("outcome", "WIN")], []),
        ("the Wings win at home", [("team", "DET"), ("outcome", "WIN"), ("venue", "home")], []),
        ("win at Detriot", [("outcome", "WIN"), ("at", ""), ("team", "DET")], []),
        ("did Detroit win 12 or three", [("team", "DET"), ("outcome", "WIN"), (NUMBER, "12"), (NUMBER, "3")], ["or"]),
        ("hot dogs in Detroit", [("team", "DET")], ["hot", "dogs", "in"]),
        ("", [], []),
    ],
)  # fmt: skip
async def test_each_word_is_bound_once_or_reported(text: str, terms: list[tuple[str, str]], unbound: list[str]) -> None:
    bound = await bind_words(text, slots=SLOTS, vocabulary=VOCABULARY)

    assert [(term.kind, term.value) for term in bound.terms] == terms
    assert [word.written for word in bound.unbound] == unbound


@pytest.mark.parametrize("word", ["not", "wasn't", "except", "fewest", "before", "worst", "only"])
def test_words_of_scope(word: str) -> None:
    assert is_scope_word(word)


@pytest.mark.parametrize("word", ["test", "latest", "request", "goals", "est", "west"])
def test_other_words(word: str) -> None:
    assert not is_scope_word(word)
