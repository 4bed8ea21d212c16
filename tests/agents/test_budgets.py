"""Tokens and cost are set aside before each call of the model, and counted however it ends."""

import asyncio
from collections.abc import Iterator
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from agents.budgets import MIN_ANSWER_TOKENS, BudgetUsedUp, Limits, ModelCall, Price, reserve
from agents.queries import conversations
from agents.queries.leases import RUNS
from agents.queries.steps import begin_model
from agents.runs.model_step import LAST_ANSWER_TOKENS
from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, Scripted, begin_work_on, calls, hangs, says, work_on
from toolbox.database import event_loop
from toolbox.model import ModelUnavailable, TextDelta, Used
from toolbox.work import lease

CALL = ModelCall(model="m", prompt_tokens=1_000, max_tokens=4_096)
FREE = Price()


def limits(*, tokens: int = 0, cost: str = "0", **most: Any) -> Limits:
    """Build the limits of a run that has used so much."""
    return Limits(
        scope="run", tokens=tokens, cost=Decimal(cost), max_tokens=most.get("tokens_at_most"),
        max_cost=most.get("cost_at_most"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("at_most", "used", "answer"), [(None, 0, 4_096), (10_000, 0, 4_096), (10_000, 6_000, 3_000), (1_128, 0, 128)]
)
def test_the_answer_may_take_what_is_left(at_most: int | None, used: int, answer: int) -> None:
    reserved = reserve(CALL, limits=[limits(tokens_at_most=at_most, tokens=used)], price=FREE)

    assert (reserved.max_tokens, reserved.tokens) == (answer, 1_000 + answer)


def test_the_smallest_budget_counts() -> None:
    both = [limits(tokens_at_most=5_000), limits(tokens_at_most=4_000, tokens=2_000)]

    assert reserve(CALL, limits=both, price=FREE).max_tokens == 1_000


def test_what_leaves_too_little_for_an_answer_is_refused_with_the_figures() -> None:
    with pytest.raises(BudgetUsedUp, match=r"this run is 1,127 tokens, of which 0 .* needs about 1,128") as refused:
        reserve(CALL, limits=[limits(tokens_at_most=999 + MIN_ANSWER_TOKENS)], price=FREE)

    assert refused.value.code == "TOKENS_USED_UP"


def test_a_cost_budget_bounds_the_answer_by_its_price() -> None:
    price = Price(prompt=Decimal(1), completion=Decimal(10))

    reserved = reserve(CALL, limits=[limits(cost_at_most=Decimal("0.011"))], price=price)

    assert (reserved.max_tokens, reserved.cost) == (1_000, Decimal("0.011"))


@pytest.mark.parametrize(
    ("price", "code"),
    [(Price(prompt=Decimal(9), completion=Decimal(90)), "COST_USED_UP"), (Price(is_known=False), "PRICE_UNKNOWN")],
)
def test_a_cost_budget_refuses_what_it_cannot_pay_or_price(price: Price, code: str) -> None:
    with pytest.raises(BudgetUsedUp) as refused:
        reserve(CALL, limits=[limits(cost_at_most=Decimal("0.01"))], price=price)

    assert refused.value.code == code


@pytest.fixture
def accounts(onlooker: Observer, quiet_talk: Owner) -> Iterator[Observer]:
    """Start without budgets, prices and usage, and leave none behind."""
    tables = ("agents_budgets", "agents_model_prices", "agents_daily_usage")
    for table in tables:
        onlooker.ask(f"DELETE FROM {table}")
    yield onlooker
    for table in tables:
        onlooker.ask(f"DELETE FROM {table}")


def add_budget(accounts: Observer, *, key_id: int | None = None, period: str = "day", **most: Any) -> None:
    """Store a budget."""
    statement = "INSERT INTO agents_budgets (key_id, period, max_tokens, max_cost) VALUES (%s, %s, %s, %s)"
    accounts.ask(statement, key_id, period, most.get("tokens"), most.get("cost"))


def add_price(accounts: Observer, *, days: int, price: int, model: str = "script") -> None:
    """Store a price that is valid from so many days after today."""
    accounts.ask(
        "INSERT INTO agents_model_prices (model, valid_from, prompt_price, completion_price)"
        " VALUES (%s, (now() AT TIME ZONE 'UTC')::date + %s::int, %s, %s)",
        model, days, price, price,
    )  # fmt: skip


def find_usage(accounts: Observer) -> dict[str, Any]:
    """Return the only row of usage."""
    (row,) = accounts.ask("SELECT * FROM agents_daily_usage")
    return row


def test_a_run_that_cannot_afford_its_first_call_asks_no_model(
    quiet_talk: Owner, accounts: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(says("never asked"))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_tokens=100)

    work_on(run_id)

    run = accounts.run(run_id)
    assert (run["state"], run["error_code"], script.told) == ("failed", "TOKENS_USED_UP", [])
    assert "100 tokens, of which 0 are used" in run["error"]
    assert accounts.ask("SELECT * FROM agents_daily_usage") == []


def test_each_call_may_take_what_the_ones_before_left(
    quiet_talk: Owner, accounts: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(calls(FEBRUARY), says("21 periods."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_tokens=1_000)

    work_on(run_id)

    assert accounts.run(run_id)["state"] == "succeeded"
    assert script.limits == [990, 975 - 10 - LAST_ANSWER_TOKENS]
    usage = find_usage(accounts)
    assert [usage[name] for name in ("calls", "prompt_tokens", "completion_tokens", "reserved_tokens")] == [
        2,
        20,
        10,
        0,
    ]


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        ("server day", "this server for a day"),
        ("server total", "this server is"),
        ("key day", "this key for a day"),
        ("key total", "this key is"),
    ],
)
def test_budgets_of_a_key_and_of_the_server_hold_over_runs(
    scope: str, words: str, cast: SimpleNamespace, accounts: Observer, scripted_as: Scripted
) -> None:
    (alice,) = accounts.ask("SELECT id, owner_id FROM toolbox_api_keys WHERE name = 'alice'")
    holder, period = scope.split()
    add_budget(accounts, key_id=alice["id"] if holder == "key" else None, period=period, tokens=160)
    talk = Owner("", owner_id=alice["owner_id"], key_id=alice["id"])
    script = scripted_as(says("One.", completion_tokens=40), says("Two."))
    first, second = (talk.say("Count.", is_told=False) for _ in range(2))

    work_on(first)
    work_on(second)

    assert (accounts.run(first)["state"], script.limits) == ("succeeded", [150])
    assert accounts.run(second)["error_code"] == "TOKENS_USED_UP"
    assert words in accounts.run(second)["error"]


def test_yesterday_s_tokens_are_not_today_s(quiet_talk: Owner, accounts: Observer, scripted_as: Scripted) -> None:
    add_budget(accounts, tokens=200)
    accounts.ask(
        "INSERT INTO agents_daily_usage (day, key_id, prompt_tokens)"
        " VALUES ((now() AT TIME ZONE 'UTC')::date - 1, 0, 190)"
    )
    scripted_as(says("One."))
    run_id = quiet_talk.say("Count.", is_told=False)

    work_on(run_id)

    assert accounts.run(run_id)["state"] == "succeeded"


def test_a_conversation_s_budget_holds_over_its_runs(
    quiet_talk: Owner, accounts: Observer, scripted_as: Scripted
) -> None:
    conversation = quiet_talk.begin(max_total_tokens=160)
    scripted_as(says("One.", completion_tokens=40), says("Two."))
    first = quiet_talk.say("Count.", to=conversation, is_told=False)
    work_on(first)
    second = quiet_talk.say("Count on.", to=conversation, is_told=False)

    work_on(second)

    assert accounts.run(second)["error_code"] == "TOKENS_USED_UP"
    assert "Raise maxTotalTokens of the conversation" in accounts.run(second)["error"]


def test_the_price_of_the_day_counts(quiet_talk: Owner, accounts: Observer, scripted_as: Scripted) -> None:
    for days, price in ((-9, 1), (-1, 2_000), (1, 9_000)):
        add_price(accounts, days=days, price=price)
    add_price(accounts, days=0, price=5, model="")
    add_price(accounts, days=0, price=7, model="another")
    scripted_as(says("One.", prompt_tokens=300, completion_tokens=200))
    run_id = quiet_talk.say("Count.", is_told=False, max_cost=Decimal(2))

    work_on(run_id)

    assert (accounts.run(run_id)["state"], accounts.run(run_id)["cost"]) == ("succeeded", Decimal(1))
    assert find_usage(accounts)["cost"] == Decimal(1)


def test_a_cost_budget_refuses_a_model_without_a_price(
    quiet_talk: Owner, accounts: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(says("One."))
    run_id = quiet_talk.say("Count.", is_told=False, max_cost=Decimal(2))

    work_on(run_id)

    assert (accounts.run(run_id)["error_code"], script.told) == ("PRICE_UNKNOWN", [])


def test_an_answer_that_its_time_breaks_off_is_counted(
    quiet_talk: Owner, accounts: Observer, scripted_as: Scripted
) -> None:
    scripted_as([TextDelta(text="Well"), Used(prompt_tokens=12, completion_tokens=7, is_estimated=True)])
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_seconds=1)

    work_on(run_id)

    run, usage = accounts.run(run_id), find_usage(accounts)
    assert (run["state"], run["prompt_tokens"], run["completion_tokens"], run["estimated_tokens"]) == (
        "timed_out", 12, 7, 19,
    )  # fmt: skip
    assert (usage["prompt_tokens"], usage["estimated_tokens"], usage["reserved_tokens"]) == (12, 19, 0)
    (step,) = accounts.steps(run_id)
    assert (step["prompt_tokens"], step["completion_tokens"], step["is_estimated"]) == (12, 7, True)
    assert accounts.events(run_id)[-1]["data"]["estimatedTokens"] == 19


def test_an_answer_that_fails_is_counted(quiet_talk: Owner, accounts: Observer, scripted_as: Scripted) -> None:
    used = Used(prompt_tokens=12, completion_tokens=7, is_estimated=True)
    scripted_as([TextDelta(text="Well"), used, ModelUnavailable("It broke.")])
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)

    work_on(run_id)

    assert (accounts.run(run_id)["error_code"], find_usage(accounts)["completion_tokens"]) == ("MODEL_UNAVAILABLE", 7)


@pytest.mark.parametrize("is_deleted", [False, True])
def test_an_answer_that_a_person_breaks_off_is_counted(
    quiet_talk: Owner,
    accounts: Observer,
    scripted_as: Scripted,
    is_deleted: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    scripted_as(hangs())
    conversation = quiet_talk.begin()
    run_id = quiet_talk.say("How did Carolina do?", to=conversation, is_told=False)
    work = begin_work_on(run_id)
    accounts.until(lambda: "text" in [event["kind"] for event in accounts.events(run_id)])
    assert find_usage(accounts)["reserved_tokens"] == 10 + 4_096

    if is_deleted:
        event_loop.run(conversations.delete(conversation, owner_id=None))
    else:
        quiet_talk.cancel(run_id)
        assert accounts.run(run_id)["prompt_tokens"] == 10
    work.result(60)

    usage = find_usage(accounts)
    assert (usage["prompt_tokens"], usage["estimated_tokens"], usage["reserved_tokens"]) == (10, 10, 0)


def test_what_a_lost_worker_s_call_took_is_counted_and_the_step_taken_again(
    quiet_talk: Owner, accounts: Observer, scripted_as: Scripted
) -> None:
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)
    lost = event_loop.run(lease.claim(RUNS, work_id=run_id, worker="lost"))
    assert lost
    event_loop.run(begin_model(lost, number=1, call=ModelCall(model="script", prompt_tokens=30, max_tokens=50)))
    accounts.ask("UPDATE agents_runs SET heartbeat_at = now() - interval '1 h' WHERE id = %s", run_id)
    event_loop.run(lease.reclaim(RUNS))
    scripted_as(says("One."))

    work_on(run_id)

    run = accounts.run(run_id)
    assert (run["prompt_tokens"], run["completion_tokens"], run["estimated_tokens"]) == (40, 5, 30)
    assert [step["prompt_tokens"] for step in accounts.steps(run_id)] == [40]


def test_runs_of_a_key_at_once_cannot_take_the_same_rest(quiet_talk: Owner, accounts: Observer) -> None:
    add_budget(accounts, tokens=3_000)
    run_ids = [quiet_talk.say("Count.", is_told=False) for _ in range(12)]

    async def begin(run_id: UUID) -> int:
        held = await lease.claim(RUNS, work_id=run_id, worker=str(run_id))
        assert held
        try:
            return 500 + await begin_model(
                held, number=1, call=ModelCall(model="script", prompt_tokens=500, max_tokens=400)
            )
        except BudgetUsedUp:
            return 0

    async def begin_all() -> list[int]:
        return await asyncio.gather(*(begin(run_id) for run_id in run_ids))

    reserved = event_loop.run(begin_all())

    assert sorted(filter(None, reserved)) == [900, 900, 900]
    assert find_usage(accounts)["reserved_tokens"] == 2_700
