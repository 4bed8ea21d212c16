"""A small hockey schema with players: our own upstream's, and what it lacks. Written by us, so that it ships."""

from importlib.resources import files
from pathlib import Path

from graphql import GraphQLSchema, build_schema

_OURS = (files("graphql_proxy") / "samples" / "hockey.graphql").read_text()
_PLAYERS = (Path(__file__).parent / "data" / "players.graphql").read_text()
HOCKEY_SDL = _OURS
WITH_PLAYERS_SDL = _OURS.replace("gameLogs(", "gameLogs(player: ID, ") + "\n" + _PLAYERS


def with_players() -> GraphQLSchema:
    """Build the schema with players."""
    return build_schema(WITH_PLAYERS_SDL)
