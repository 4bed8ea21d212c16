"""
Organisations, their people and teams; issues and sprints; and the history that everything counted follows from.

What agents may see of it are the views of schema `sprintscope` (migration 0003). Columns marked "derived" are written
by triggers (migrations 0002, 0009, 0023), whatever changes the rows that they follow from.
"""

from sprints.models.curation import TermSynonym, VerifiedQuery
from sprints.models.history import BlockedPeriod, IssueLink, PointsChange, SprintIssue, StatusChange, StatusPeriod
from sprints.models.organisations import Organisation, QuarantinedRecord, Status, StatusCategory, Team, User
from sprints.models.work import Issue, PointsField, Sprint, SprintState

__all__ = [
    "BlockedPeriod",
    "Issue",
    "IssueLink",
    "Organisation",
    "PointsChange",
    "PointsField",
    "QuarantinedRecord",
    "Sprint",
    "SprintIssue",
    "SprintState",
    "Status",
    "StatusCategory",
    "StatusChange",
    "StatusPeriod",
    "Team",
    "TermSynonym",
    "User",
    "VerifiedQuery",
]
