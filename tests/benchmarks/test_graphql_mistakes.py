"""The recorded mistakes are what they say, and the judge of offers tells right from wrong."""

from dataclasses import replace
from typing import Any

import pytest
from graphql import parse, validate

from benchmarks.graphql_absent import find_absences
from benchmarks.graphql_mistakes import FOLDER, Mistake, find_unnamed, judge_offer, load_mistakes, load_schema

MISTAKES = load_mistakes()
SERVERS = {
    "graphql-js 15",
    "graphql-js 16",
    "graphql-js 17",
    "graphql-core",
    "graphql-java",
    "graphql-ruby",
    "gqlgen",
    "hotchocolate",
    "hasura",
    "async-graphql",
    "apollo-server",
}


def find_mistake(**wanted: object) -> Mistake:
    return next(m for m in MISTAKES if all(getattr(m, name) == value for name, value in wanted.items()))


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: f"{m.id}-{m.server}-{m.rule}")
def test_a_record_holds_a_refusal_and_fixes_that_validate(mistake: Mistake) -> None:
    assert all(error["message"] for error in mistake.answer["errors"])
    assert mistake.hint_names
    assert [validate(load_schema(mistake.schema), parse(document)) for document in mistake.documents] == [
        [] for _ in mistake.documents
    ]
    assert mistake.document not in mistake.documents


def test_every_server_is_there_and_some_mistakes_have_no_unique_fix() -> None:
    assert {mistake.server for mistake in MISTAKES} == SERVERS
    assert len({mistake.id for mistake in MISTAKES}) == len(MISTAKES)
    assert sum(not mistake.documents for mistake in MISTAKES) >= 35


def test_the_expected_document_is_right_in_any_order_and_spacing() -> None:
    mistake = find_mistake(rule="variable_type", server="graphql-js 16")
    offered = "query ($name: String!, $owner: String!) {\n  repository(name: $name, owner: $owner) { id }\n}"
    assert judge_offer(mistake, {"query": offered}, schema=load_schema("forge")) == "right"


def test_another_document_is_wrong_even_if_it_validates() -> None:
    mistake = find_mistake(rule="unknown_field", server="graphql-js 16")
    assert judge_offer(mistake, {"query": "{ viewer { login bio } }"}, schema=load_schema("forge")) == "wrong"


def test_a_document_that_does_not_validate_or_parse_is_wrong() -> None:
    mistake = find_mistake(rule="unknown_field", server="graphql-js 16")
    for offered in ("{ viewer { login nmae } }", "{ viewer {"):
        assert judge_offer(mistake, {"query": offered}, schema=load_schema("forge")) == "wrong"


def test_silence_is_silent_where_a_fix_is_required() -> None:
    mistake = find_mistake(rule="unknown_field", server="graphql-js 16")
    assert judge_offer(mistake, None, schema=load_schema("forge")) == "silent"
    assert judge_offer(replace(mistake, is_required=False), None, schema=load_schema("forge")) == "right"


def test_any_offer_is_wrong_where_no_unique_fix_exists() -> None:
    mistake = find_mistake(rule="missing_argument", server="graphql-js 16")
    offered = '{ repository(owner: "somebody", name: "hello") { id } }'
    assert judge_offer(mistake, {"query": offered}, schema=load_schema("forge")) == "wrong"
    assert judge_offer(mistake, None, schema=load_schema("forge")) == "right"


@pytest.mark.parametrize(
    ("offered", "verdict"),
    [
        ({"variables": {"p": "GOALIE"}}, "right"),
        ({"variables": {"p": "DEFENSE"}}, "wrong"),
        ({"variables": {"p": "GOALIE"}, "operationName": "A"}, "wrong"),
        ({"query": "{ players { fullName } }"}, "wrong"),
        ({"variables": {"p": "GOALIE"}, "extensions": {}}, "wrong"),
        (None, "right"),
    ],
)
def test_offered_variables_are_compared_with_those_that_were_meant(offered: dict[str, Any], verdict: str) -> None:
    mistake = find_mistake(id="a094")
    assert judge_offer(mistake, offered, schema=load_schema(mistake.schema)) == verdict


def test_variables_that_no_record_wants_changed_are_wrong() -> None:
    renamed = find_mistake(rule="unknown_field", server="graphql-js 16")
    offer = {"query": renamed.documents[0], "variables": {"x": 1}}
    assert judge_offer(renamed, offer, schema=load_schema(renamed.schema)) == "wrong"
    missing = find_mistake(rule="variable_missing")
    assert not missing.documents
    assert judge_offer(missing, {"variables": {"x": 1}}, schema=load_schema(missing.schema)) == "wrong"


@pytest.mark.parametrize(("name", "verdict"), [("GetViewer", "right"), ("GetLimit", "wrong")])
def test_an_offered_operation_name_is_compared_with_the_one_that_was_meant(name: str, verdict: str) -> None:
    mistake = find_mistake(id="a138")
    assert judge_offer(mistake, {"operationName": name}, schema=load_schema("forge")) == verdict


def test_an_operation_is_not_chosen_for_the_caller() -> None:
    mistake = find_mistake(id="b153")
    assert judge_offer(mistake, {"operationName": "A"}, schema=load_schema(mistake.schema)) == "wrong"


def test_the_size_of_a_page_is_free_and_nothing_else() -> None:
    mistake = find_mistake(rule="missing_pagination")
    page = "{{ viewer {{ repositories(first: {}) {{ totalCount nodes {{ name }} }} }} }}"
    assert judge_offer(mistake, {"query": page.format(30)}, schema=load_schema("forge")) == "right"
    assert judge_offer(mistake, {"query": page.format('30, after: "x"')}, schema=load_schema("forge")) == "wrong"


def test_a_missing_selection_may_be_any_leaf_of_the_type() -> None:
    mistake = find_mistake(rule="missing_selection", schema="shop")
    schema = load_schema("shop")
    assert (
        judge_offer(mistake, {"query": "{ products(limit: 1) { name category { id slug } } }"}, schema=schema)
        == "right"
    )
    assert judge_offer(mistake, {"query": "{ products(limit: 1) { category { id } } }"}, schema=schema) == "wrong"


def test_a_name_that_no_hint_names_is_found() -> None:
    mistake = find_mistake(rule="wrong_value", server="graphql-js 16")
    assert find_unnamed(mistake, ["use an Int"]) == []
    assert find_unnamed(mistake, ["use a number"]) == ["Int"]


def test_nothing_else_is_offered_for_a_thing_that_was_taken_out_of_a_schema() -> None:
    found = list(find_absences((FOLDER / "shop.graphql").read_text()))
    assert len(found) > 100
    assert [one for one in found if one.is_wrong] == []
