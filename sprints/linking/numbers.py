"""Numbers and ordinals in words."""

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty ninety"
)
_VALUES = (*range(21), 30, 40, 50, 60, 90)
_FIRST = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
NUMBERS = dict(zip(_SMALL.split(), _VALUES, strict=True)) | {"a": 1, "an": 1, "couple": 2, "dozen": 12}
ORDINALS = {word: place for place, word in enumerate(_FIRST.split(), 1)} | {
    f"{place}{'st' if place % 10 == 1 else 'nd' if place % 10 == 2 else 'rd' if place % 10 == 3 else 'th'}": place  # noqa: PLR2004
    for place in range(1, 32) if place not in (11, 12, 13)
} | {"11th": 11, "12th": 12, "13th": 13, "thirtieth": 30}  # fmt: skip
NUMBER = r"(?:\d{1,4}|" + "|".join(NUMBERS) + ")"
VAGUE = frozenset({"few", "several", "some"})


def read_number(text: str) -> int:
    """Parse a number in digits or as a word."""
    text = text.strip().lower()
    return int(text) if text.isdigit() else NUMBERS[text]
