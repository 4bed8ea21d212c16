"""Signs, short units and fixed expressions that are written as plain words before a question is linked."""

import regex

_RUNNING = regex.compile(
    r"\bthe sprint (?:(?:that|which)(?:['\u2019]s| is)(?: currently| now)? (?:running|active|under ?way|going on)"
    r"|(?:that |which )?(?:it|they|we)(?:['\u2019]s|['\u2019]re| is| are)(?: currently| now)? (?:working on|in))\b",
    regex.IGNORECASE,
)
_SIGNS = (
    (regex.compile(r",? *\bi\.? ?e\b\.?,?", regex.IGNORECASE), ","),
    (regex.compile(r"->|\u2192"), " to "),
    (regex.compile(r"\b(?:a )?dozen\b", regex.IGNORECASE), "12"),
    (regex.compile(r"(?:!=|<>|\u2260) ?(?=\d)"), " other than "),
    (regex.compile(r"(?:>=|=>|\u2265) ?(?=\d)"), " at least "),
    (regex.compile(r"(?:<=|=<|\u2264) ?(?=\d)"), " at most "),
    (regex.compile(r"> ?(?=\d)"), " more than "),
    (regex.compile(r"< ?(?=\d)"), " less than "),
    (regex.compile(r"==? ?(?=\d)"), " exactly "),
    (regex.compile(r"(?<![\w.-])(\d{1,4}) ?d(?![\w-])", regex.IGNORECASE), r"\1 days"),
    (regex.compile(r"(?<![\w.-])(\d{1,4}) ?wk?s?(?![\w-])", regex.IGNORECASE), r"\1 weeks"),
    (regex.compile(r"(?<![\w.-])(\d{1,6})\+(?!\w)"), r"\1 or more"),
    (regex.compile(r"%(?= of)"), " percent"),
    (regex.compile(r"\b1[:-]1s?\b|\bone[- ]on[- ]one\b", regex.IGNORECASE), "meeting"),
    (
        regex.compile(r"(?<=\bthis (sprint|week|month|quarter|year) than )(?:the )?last(?=[ ?.]*$)", regex.IGNORECASE),
        r"last \1",
    ),
    (_RUNNING, "the current sprint"),
    (regex.compile(r"\b([pP]\d)'?s\b"), r"\1"),
    (regex.compile(r"\b(?:ended|finished|closed) with (?=(?:some|any|no)thing\b)", regex.IGNORECASE), "had "),
    (
        regex.compile(
            r"(?<=\b(?:had|have|has|with) )(?:some|any)thing (?=(?:carried|added|removed)\b)", regex.IGNORECASE
        ),
        "at least one issue ",
    ),
    (
        regex.compile(r"\bwhat(?:['\u2019]s| is| was) ([a-z]+-\d+)(?: all)? about\b", regex.IGNORECASE),
        r"what is the title of \1",
    ),
    (
        regex.compile(r"^(?:what|how) about (the [^,?]+), how (many|much) (is|are|were|was) (?=\w)", regex.IGNORECASE),
        r"how \2 of \1 \3 ",
    ),
    (
        regex.compile(
            r"(?<=\bsprint (\d+)\b.{1,40}\b)"
            r"the (?:(?:one|sprint) (?:just |right )?before(?: (?:it|that))?|previous one)(?=\W*$)",
            regex.IGNORECASE,
        ),
        lambda found: f"sprint {int(found[1]) - 1}",
    ),
    (regex.compile(r"\bfrom ((?:\w+ )?sprint \d+) on(?:wards?)?\b", regex.IGNORECASE), r"since \1"),
    (  # which of our epics has; which of the open bugs are
        regex.compile(
            r"\bwhich of (?:the|our|all|all the|all our) ((?:[\w-]+ ){0,2}?[\w-]+?)s (?=(?:has|is|was|does)\b)",
            regex.IGNORECASE,
        ),
        r"which \1 ",
    ),
    (
        regex.compile(r"\bwhich of (?:the|our|all|all the|all our) (?=(?:\w+-)?[a-z]+s\b)", regex.IGNORECASE),
        "which ",
    ),
    (  # what was left unfinished at the end of sprint 7
        regex.compile(
            r"\b(?:left )?(?:unfinished|undone|incomplete|not (?:done|finished|completed))((?: tickets| issues| stories| bugs)?)"
            r" (?:at|by) the end of (?=(?:each |every )?(?:\w+(?:['\u2019]s)? )?sprints?\b)",
            regex.IGNORECASE,
        ),
        r"\1 carried over in ",
    ),
    (  # how much it does in a sprint as a rule
        regex.compile(
            r"(?<=\bhow many points\b.*)\b(?:in|within) (?:a|one|any given) sprint\b"
            r"(?:(?=.*\b(?:average|usually|typically|normally)\b)|(?<=\b(?:average|usually|typically|normally)\b.*))",
            regex.IGNORECASE,
        ),
        "per sprint",
    ),
    (  # break the open bugs down by team
        regex.compile(
            r"\b(?:break|split|divide)(?: me)? (?!by\b|it\b|that\b|this\b|them\b|those\b)([^,.;?]+?)(?: down| up|) by (?=\w)",
            regex.IGNORECASE,
        ),
        r"\1 by ",
    ),
    (  # how do the open bugs split across teams
        regex.compile(
            r"^how (?:are|do|were|did) ([^,.;?]+?) (?:spread|split|distributed|divided|break down|spread out)"
            r"(?: up)? (?:over|across|among|amongst|between|by) (?:the |our |all )?(\w+?)(?:(?<=s)es|s)?(?=[ ?.!]*$)",
            regex.IGNORECASE,
        ),
        r"\1 per \2",
    ),
    (regex.compile(r"\bput ([^,.;?]+?) in order (?:by|of) (?=\w)", regex.IGNORECASE), r"rank \1 by "),
    (  # how fast does ORBIT fix bugs; how many days does it need for a bug
        regex.compile(
            r"\bhow (?:fast|quick|quickly) (do|does|did) ((?:\w+ ){1,3}?)(?=(?:fix|resolve|close|finish|complete|solve)\b)",
            regex.IGNORECASE,
        ),
        r"how long \1 it take \2to ",
    ),
    (
        regex.compile(
            r"\bhow (?:long|many days|much time) (do|does|did) ((?!it\b|we\b)(?:\w+ ){1,2}?)(on average |usually |normally |"
            r"typically |)(?:need|take|require)(?= (?:on average |)to (?:fix|resolve|close|finish|complete|solve)\b)",
            regex.IGNORECASE,
        ),
        r"how long \1 it take \2\3",
    ),
    (
        regex.compile(
            r"\b(?:which|what) sprints (?:are|is) (?:we|everybody|everyone|(?:all |the |our )?teams)(?: currently| now)? in\b",
            regex.IGNORECASE,
        ),
        "which sprints are active",
    ),
)


def spell_signs(text: str) -> str:
    """Write signs and short units before and behind numbers as words: > 5d is more than 5 days."""
    for sign, said in _SIGNS:
        text = sign.sub(said, text)
    return text
