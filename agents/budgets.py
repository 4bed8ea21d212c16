"""
How many tokens the next model call may use, given what is left of every budget that applies.

Pure: `agents/queries/budgets.py` reads the limits under a lock and writes the reservation in the same transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

MIN_ANSWER_TOKENS = 128
"""A call that would leave less than this for the answer is not made."""
MILLION = 1_000_000
Scope = Literal["run", "conversation", "key_day", "key_total", "server_day", "server_total"]
_SCOPES: dict[Scope, tuple[str, str]] = {
    "run": ("this run", "Raise {field} of the conversation, or ask for less at once."),
    "conversation": ("this conversation", "Raise {field} of the conversation, or begin another."),
    "key_day": ("this key for a day", "Ask again tomorrow (UTC), or have an administrator raise it."),
    "key_total": ("this key", "Have an administrator raise it."),
    "server_day": ("this server for a day", "Ask again tomorrow (UTC), or have an administrator raise it."),
    "server_total": ("this server", "Have an administrator raise it."),
}
_FIELDS = {
    ("run", "tokens"): "maxTokens",
    ("run", "cost"): "maxCost",
    ("conversation", "tokens"): "maxTotalTokens",
    ("conversation", "cost"): "maxTotalCost",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The prices of a million tokens; `is_known` is False if none was entered."""

    prompt: Decimal = Decimal(0)
    completion: Decimal = Decimal(0)
    is_known: bool = True

    def cost(self, *, prompt_tokens: int, completion_tokens: int) -> Decimal:
        """Return the cost of so many tokens."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The budget of one scope, and how much of it is used or reserved; None is no limit."""

    scope: Scope
    max_tokens: int | None
    max_cost: Decimal | None
    tokens: int
    cost: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """
    A model call that is about to be made.

    `prompt_tokens` is an estimate, `max_tokens` the limit of the answer, and `held_back` must be left after the call.
    """

    model: str
    prompt_tokens: int
    max_tokens: int
    held_back: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """The tokens reserved for a call; the answer may use `max_tokens`."""

    prompt_tokens: int
    max_tokens: int
    price: Price

    @property
    def tokens(self) -> int:
        """Return all reserved tokens."""
        return self.prompt_tokens + self.max_tokens

    @property
    def cost(self) -> Decimal:
        """Return the reserved cost."""
        return self.price.cost(prompt_tokens=self.prompt_tokens, completion_tokens=self.max_tokens)


class BudgetUsedUp(Exception):
    """A budget does not allow the call; the message is for a person, and `code` names the kind."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def reserve(call: ModelCall, *, limits: Sequence[Limits], price: Price) -> Reservation:
    """Return the reservation that fits every budget; raises BudgetUsedUp if one leaves too little for an answer."""
    answer = call.max_tokens
    for limit in limits:
        if limit.max_tokens is not None:
            left = limit.max_tokens - limit.tokens - call.prompt_tokens - call.held_back
            if left < min(MIN_ANSWER_TOKENS, call.max_tokens):
                raise _used_up_tokens(limit, call=call)
            answer = min(answer, left)
        if limit.max_cost is not None:
            answer = min(answer, _affordable(limit, call=call, price=price))
    return Reservation(prompt_tokens=call.prompt_tokens, max_tokens=answer, price=price)


def _affordable(limit: Limits, *, call: ModelCall, price: Price) -> int:
    """Return how many tokens of an answer the rest of a cost budget pays for."""
    name, advice = _describe(limit.scope, unit="cost")
    if not price.is_known:
        raise BudgetUsedUp(
            "PRICE_UNKNOWN",
            f"The budget of {name} is a cost, and the price of {call.model} is not known. "
            "Have an administrator enter it under Model prices.",
        )
    smallest = min(MIN_ANSWER_TOKENS, call.max_tokens)
    needed = price.cost(prompt_tokens=call.prompt_tokens + call.held_back, completion_tokens=smallest)
    left = (limit.max_cost or Decimal(0)) - limit.cost
    if left < needed:
        raise BudgetUsedUp(
            "COST_USED_UP",
            f"The budget of {name} is a cost of {limit.max_cost or 0:f}, of which {limit.cost:f} is used or reserved; "
            f"the next call of the model needs about {needed:.6f}. {advice}",
        )
    if not price.completion:
        return call.max_tokens
    return int((left - needed) * MILLION / price.completion) + smallest


def _used_up_tokens(limit: Limits, *, call: ModelCall) -> BudgetUsedUp:
    name, advice = _describe(limit.scope, unit="tokens")
    needed = call.prompt_tokens + min(MIN_ANSWER_TOKENS, call.max_tokens)
    return BudgetUsedUp(
        "TOKENS_USED_UP",
        f"The budget of {name} is {limit.max_tokens:,} tokens, of which {limit.tokens:,} are used or reserved; "
        f"the next call of the model needs about {needed:,}. {advice}",
    )


def _describe(scope: Scope, *, unit: str) -> tuple[str, str]:
    name, advice = _SCOPES[scope]
    return name, advice.format(field=_FIELDS.get((scope, unit), ""))
