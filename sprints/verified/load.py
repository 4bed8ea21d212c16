"""Storing of verified queries: shipped ones, without overwriting a person's changes, and promoted answers."""

from collections.abc import Sequence
from datetime import date

from django.utils.text import slugify

from sprints.linking.names import NameIndex
from sprints.models import VerifiedQuery
from sprints.verified.library import hash_content, list_shipped_queries
from sprints.verified.slots import list_slots, make_template


def load_verified_queries() -> int:
    """Store what is new or was changed by a newer version. Returns the number of rows written."""
    known = {row.slug: row for row in VerifiedQuery.objects.all()}
    written = 0
    for content in list_shipped_queries():
        row, mark = known.get(content["slug"]), hash_content(content)
        if row and (row.shipped_digest == mark or row.shipped_digest != hash_content(row.content())):
            continue
        fields = content | {"source": VerifiedQuery.Source.SHIPPED, "shipped_digest": mark}
        VerifiedQuery.objects.update_or_create(slug=content["slug"], defaults=fields)
        written += 1
    return written


class PromotionError(ValueError):
    """The statement could not answer its own question; the message says why."""


def promote(question: str, *, sql: str, assumptions: Sequence[str], index: NameIndex, today: date) -> tuple[str, bool]:
    """
    Make a verified query from an answer. Returns its slug, and whether it is new.

    The names in the question become slots, and so do their ids in the SQL. It is not enabled: a person looks first.
    The same question again changes nothing. Raises PromotionError where the question names what the SQL does not hold.
    """
    wording, slotted = make_template(question, sql=sql, index=index, today=today)
    if unused := sorted(list_slots(wording) - list_slots(slotted)):
        raise PromotionError(
            f"The question names a {unused[0]}, and the statement does not compare with it by its id or its dates. "
            "Write it so, or ask the question without that name."
        )
    known = VerifiedQuery.objects.filter(question=wording).first()
    if known:
        return known.slug, False
    row = VerifiedQuery.objects.create(
        slug=find_free_slug(wording), topic="promoted", question=wording, sql=slotted, assumptions=list(assumptions),
        source=VerifiedQuery.Source.PROMOTED, is_enabled=False,
    )  # fmt: skip
    return row.slug, True


def find_free_slug(wording: str) -> str:
    """Return a slug of a wording that no verified query has."""
    wanted = slugify(wording)[:70] or "query"
    taken = set(VerifiedQuery.objects.filter(slug__startswith=wanted).values_list("slug", flat=True))
    return next(slug for slug in (wanted, *(f"{wanted}-{number}" for number in range(2, 10_000))) if slug not in taken)
