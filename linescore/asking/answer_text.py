"""Word the answers to a question about games."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from linescore.asking.game_question import GameQuestion, Team, describe_ending, describe_period, past_of

LISTED = 10
_LAST_PERIOD = 3
_BEYOND = ("OT", "SO")
_COUNTED = "overtime and shootouts included, goals into empty nets not"
_RESULTS = {"WIN": "won", "LOSS": "lost", "OT_LOSS": "lost after regulation", "TIE": "tied"}
_MISSING = "Games are missing: their source was refused."
_CUT = "There are more rows than one call reads, so these numbers are not whole; ask about a shorter time."

Row = Mapping[str, Any]


def word_answers(query: GameQuestion, *, answers: Sequence[Any]) -> str:
    """Word the answers of the question's calls, in their order."""
    word = {"record": _word_record, "games": _word_games, "periods": _word_periods}.get(query.measure, _word_ranking)
    teams: Sequence[Team | None] = query.teams or (None,)
    return "\n".join(
        "\n".join([word(query, team, answer["data"]), *_word_doubts(answer["data"], query=query)])
        for team, answer in zip(teams, answers, strict=True)
    )


def _word_doubts(data: Row, *, query: GameQuestion) -> list[str]:
    metadata = data["query_metadata"]
    is_cut = metadata["was_limited"] and query.measure not in ("record", "ranking")
    return [text for text, holds in ((_MISSING, metadata.get("missing_games")), (_CUT, is_cut)) if holds]


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def _word_record(query: GameQuestion, team: Team | None, data: Row) -> str:
    record, name = data["record"], team.name if team else ""
    where = _capitalize(query.scope.strip())
    text = (
        f"{where}, {name} played {_count(record['games'], 'game')} and won {record['wins']}, "
        f"lost {record['losses']} and lost {record['overtime_losses']} more in overtime or shootouts"
        + (f", tied {record['ties']}" if record["ties"] else "")
        + f"; goals {record['goals_for']} to {record['goals_against']}. Of the periods, {_COUNTED}, they won "
        f"{record['periods_won']}, lost {record['periods_lost']} and tied {record['periods_tied']}."
    )
    return "\n".join([text, *map(_list_game, data["results"][:LISTED])]) if query.opponent else text


def _word_games(query: GameQuestion, team: Team | None, data: Row) -> str:
    rows = [row for row in data["results"] if _is_kept(row, query=query, team=team)]
    if query.by_margin:
        rows = sorted(rows, key=lambda row: -abs(row["home_goals"] - row["away_goals"]))
    kept = rows[: query.latest] if query.latest else rows
    where, ending = _capitalize(query.scope.strip()), f" {describe_ending(query.ending)}" if query.ending else ""
    if team is None:
        head = (
            f"{_count(len(rows), 'game')} {query.span.label}{ending}:"
            if rows
            else f"No game{ending} {query.span.label}."
        )
    elif query.latest:
        head = f"{query}"[:-1].replace("What were the", "The", 1) + ":" if kept else f"No such game{query.scope}."
    elif query.outcome:
        head = f"{where}, {team.name} {past_of(query.outcome)} {_count(len(rows), 'game')}{ending}."
    elif query.ending:
        head = f"Of {_count(data['count'], 'game')} of {team.name}{query.scope}, {len(rows)} ended{ending}."
    else:
        head = f"{where}, {team.name} played {_count(len(rows), 'game')}."
    shown = kept if query.latest else kept[:LISTED]
    lines = [head, *map(_list_game, shown)]
    if len(shown) < len(kept):
        lines.append(f"… and {len(kept) - len(shown)} before them.")
    if team and query.latest and kept and not query.outcome:
        tally = Counter(row["result"] for row in kept)
        lines.append(
            f"Of these they {_list_words(f'{said} {tally[one]}' for one, said in _RESULTS.items() if tally[one])}."
        )
    return "\n".join(lines)


def _is_kept(row: Row, *, query: GameQuestion, team: Team | None) -> bool:
    endings = {"BEYOND": _BEYOND, None: ("REG", *_BEYOND)}.get(query.ending, (query.ending,))
    results = {"LOSS": ("LOSS", "OT_LOSS"), None: tuple(_RESULTS)}.get(query.outcome, (query.outcome,))
    return row["decided_in"] in endings and (team is None or row["result"] in results)


def _list_game(row: Row) -> str:
    ended = {"OT": " in overtime", "SO": " in a shootout"}.get(row["decided_in"], "")
    away, home = f"{row['away_team_code']} {row['away_goals']}", f"{row['home_team_code']} {row['home_goals']}"
    return f"- {row['game_date']}: {away} at {home}{ended}"


def _word_periods(query: GameQuestion, team: Team | None, data: Row) -> str:
    name = team.name if team else ""
    numbers = [query.period] if query.period else sorted({row["period_number"] for row in data["results"]})
    lines = [f"{_capitalize(query.scope.strip())}, {name} by period, goals into empty nets not counted for who won:"]
    for number in numbers:
        rows = [row for row in data["results"] if row["period_number"] == number]
        outcomes = Counter(row["period_outcome"] for row in rows)
        goals = f"{sum(row['goals_for'] for row in rows)} to {sum(row['goals_against'] for row in rows)}"
        title = (
            describe_period(number)
            if number <= _LAST_PERIOD
            else {4: "overtime", 5: "shootout"}.get(number, f"{number}th")
        )
        lines.append(
            f"- {title}: won {outcomes['WIN']}, lost {outcomes['LOSS']}, tied {outcomes['TIE']} of {len(rows)}; "
            f"goals {goals}"
        )
    return "\n".join(lines)


def _word_ranking(query: GameQuestion, team: Team | None, data: Row) -> str:
    rows = data["results"]
    if query.measure == "ranking":
        head = f"Most periods {past_of(query.outcome)}, {_COUNTED},{query.scope}:"
        return "\n".join([head, *(f"{at}. {row['team_name']}: {row['periods_won']}" for at, row in enumerate(rows, 1))])
    lines = [
        f"- {row['game_date']}, {row['away_team_code']} at {row['home_team_code']}"
        + ("" if team else f", {row['team_code']}") + f": {row['regulation_periods_won']}"
        for row in rows[:LISTED]
    ]  # fmt: skip
    if team is None:
        return "\n".join([f"{_count(data['count'], 'team')} won two or three regulation periods{query.scope}:", *lines])
    more = [f"… and {len(rows) - LISTED} before them."] if len(rows) > LISTED else []
    head = (
        f"{team.name} won two or three regulation periods in {_count(data['count'], 'game')}{query.scope}; the latest:"
    )
    return "\n".join([head, *lines, *more])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _list_words(parts: Iterable[str]) -> str:
    *first, last = list(parts)
    return f"{', '.join(first)} and {last}" if first else last
