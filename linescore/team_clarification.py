"""Elicitation of an ambiguous team: the client asks the person which one is meant."""

from linescore import queries
from linescore.contracts import LinescoreQuery
from linescore.refusals import alike
from toolbox.contract.client_channel import ClientChannel
from toolbox.database.pools import Pool

MAX_CHOICES = 8


async def clarify_team(ask: LinescoreQuery, *, client: ClientChannel, reader: Pool) -> LinescoreQuery | None:
    """Return the query with the team that the person picked; None if the client has no forms or it is unambiguous."""
    if ask.team_code is None or not client.supports_forms:
        return None
    teams = await queries.teams(reader=reader)
    if any(team["team_code"] == ask.team_code for team in teams):
        return None
    options = {f"{team['team_name']} ({team['team_code']})": team for team in alike(ask.team_code, teams=teams)}
    if not options:
        return None
    message = f"Which team is {ask.team_code[:40]!r}?"
    picked = await client.pick("team", message=message, options=list(options)[:MAX_CHOICES])
    return ask.model_copy(update={"team_code": options[picked]["team_code"]}) if picked else None
