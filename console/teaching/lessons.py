"""
The kinds of lessons: each is a table of the admin, and uses its form, permissions and history.

The admin's classes decide who may add a row, what is refused and what is logged; nothing of that is repeated here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias, cast

from django.contrib import admin
from django.db import models, transaction
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.text import slugify

from console.teaching.trials import Trial, answer_question
from console.tools.result_picture import draw_answer
from sprints.curation.actions import run_row
from sprints.curation.drafts import (
    DraftedAnswer,
    answer_with_query,
    answer_with_synonym,
    begin_query,
    find_unknown_words,
)
from sprints.models import TermSynonym, VerifiedQuery
from toolbox.admin_pages.examples import ExampleForm
from toolbox.answering.name_aliases import replace_aliases
from toolbox.contract.caller import Caller
from toolbox.models import Example, NameAlias

MAX_SLUG = 80
Form: TypeAlias = "ModelForm[Any]"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """The question to teach, the domain it probably belongs to, who teaches it, and when."""

    text: str
    domain: str
    caller: Caller
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """
    A kind of row that makes a question answerable.

    `begin` returns the form's first values for a question; `try_out` answers the question with a valid form that is not
    saved.
    """

    kind: str
    label: str
    summary: str
    model: type[models.Model]
    begin: Callable[[AskedQuestion], dict[str, str]]
    try_out: Callable[[Form, AskedQuestion], Trial]

    def may_add(self, request: HttpRequest) -> bool:
        """Return whether this person may add such a row in the admin."""
        is_allowed: bool = admin.site.has_permission(request) and self._get_admin().has_add_permission(request)
        return is_allowed

    def make_form(self, data: Any = None, *, initial: dict[str, str] | None = None) -> Form:
        """Return the admin's form, with its checks."""
        form: Form = self._get_admin().form(data, initial=initial or {})
        return form

    def publish(self, request: HttpRequest, *, form: Form) -> models.Model:
        """Save a valid form as the admin does, with a row in its history."""
        owner = self._get_admin()
        with transaction.atomic():
            row: models.Model = form.save(commit=False)
            owner.save_model(request, row, form, change=False)
            form.save_m2m()
            owner.log_addition(request, row, [{"added": {}}])
        return row

    def _get_admin(self) -> Any:
        return admin.site.get_model_admin(self.model)


def list_lessons(request: HttpRequest, *, domain: str) -> list[Lesson]:
    """List the lessons that this person may give, the domain's own first."""
    allowed = [lesson for lesson in LESSONS if lesson.may_add(request)]
    is_of_sprints = domain == "sprints"
    return sorted(allowed, key=lambda lesson: is_of_sprints != (lesson.model in _OF_SPRINTS))


def _begin_verified_query(asked: AskedQuestion) -> dict[str, str]:
    return begin_query(asked.text, now=asked.now) | {"sql": "SELECT count(*) AS found\nFROM sprintscope.issues"}


def _begin_example(asked: AskedQuestion) -> dict[str, str]:
    return {"question": asked.text, "domain": asked.domain, "name": slugify(asked.text)[:MAX_SLUG]}


def _begin_synonym(asked: AskedQuestion) -> dict[str, str]:
    return {"phrase": find_unknown_words(asked.text, now=asked.now)}


def _begin_alias(asked: AskedQuestion) -> dict[str, str]:
    return {"domain": asked.domain}


def _try_verified_query(form: Form, asked: AskedQuestion) -> Trial:
    """Run the statement for every form of the question, and answer the question with it."""
    query = form.instance
    checked, shared = run_row(query, now=asked.now)
    notes = tuple(f"{one.form}: {one.summary}" for one in (*checked, *shared))
    drafted = answer_with_query(asked.text, query=query, now=asked.now)
    if drafted.result is None or drafted.slug != query.slug:
        problem = "The question does not lead to this query; write it as it was asked, with slots for its names."
        first = next((one for one in checked if one.result), None)
        rows = first.result.rows if first and first.result else []
        sql = first.sql if first else ""
        return Trial(problem=problem, notes=notes, sql=sql, picture=draw_answer(rows, tool=None, arguments={}))
    return _show_draft(drafted, notes=notes)


def _try_synonym(form: Form, asked: AskedQuestion) -> Trial:
    row = form.instance
    written = {"kind": row.kind, "term": row.term, "form": row.form, "phrase": row.phrase}
    drafted = answer_with_synonym(asked.text, synonym=written, now=asked.now)
    return _show_draft(drafted) if drafted.result else Trial(problem=drafted.text)


def _show_draft(drafted: DraftedAnswer, *, notes: tuple[str, ...] = ()) -> Trial:
    """Return a trial with the rows of a statement, or with the guard's or the database's error."""
    result = drafted.result
    picture = draw_answer(result.rows if result else [], tool=None, arguments={})
    problem = (result.error or "") if result else drafted.text
    return Trial(text=drafted.text, problem=problem, sql=drafted.sql, notes=notes, picture=picture)


def _try_example(form: Form, asked: AskedQuestion) -> Trial:
    example = cast("ExampleForm", form).known
    return answer_question(asked.text, caller=asked.caller, drafts=[example], expected=example)


def _try_alias(form: Form, asked: AskedQuestion) -> Trial:
    alias = form.instance
    replaced = replace_aliases(asked.text, aliases={alias.phrase: alias.name})
    if replaced == asked.text:
        return Trial(problem=f"The question does not say '{alias.phrase}'.")
    return answer_question(replaced, caller=asked.caller)


LESSONS = (
    Lesson(
        kind="example", label="An example", model=Example, begin=_begin_example, try_out=_try_example,
        summary="A tool answers it: choose the tool, its arguments, and the words of the answer.",
    ),
    Lesson(
        kind="alias", label="An alias", model=NameAlias, begin=_begin_alias, try_out=_try_alias,
        summary="The question calls something by a name that the data does not have.",
    ),
    Lesson(
        kind="query", label="A verified query", model=VerifiedQuery, begin=_begin_verified_query,
        try_out=_try_verified_query, summary="SQL over the views of sprints answers it.",
    ),
    Lesson(
        kind="synonym", label="A metric synonym", model=TermSynonym, begin=_begin_synonym, try_out=_try_synonym,
        summary="The question uses another word for a measure, dimension or filter of sprints.",
    ),
)  # fmt: skip
_OF_SPRINTS = (VerifiedQuery, TermSynonym)
