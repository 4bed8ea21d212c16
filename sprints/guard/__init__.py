"""
What SQL an agent may run: one SELECT over the views, and nothing else. Wall (a); the role is wall (b).

`check` parses the statement with PostgreSQL's own parser, looks at every node, refuses what it does not know, sets the
LIMIT, and gives the text that may run. It decides; it never asks the database.
"""

from sprints.guard.checking import Checked, check
from sprints.guard.refused import Refused
from sprints.guard.world import World

__all__ = ["Checked", "Refused", "World", "check"]
