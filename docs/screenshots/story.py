"""
The README's moving picture: an agent errs, is told the fix, is answered, and both calls are in the audit log.

Nothing in it is made up: the calls are made, and the rows are read from the page of the calls. It is an SVG that needs
no script; who wants no motion sees all of it at once.
"""

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page

TOOL = "query_linescore_data"
ASKED = {"teamCode": "carolina", "startDate": "2025-02-01", "endDate": "2025-02-28"}
WIDTH, LINE, TOP, LEFT, LETTERS = 980, 22, 62, 24, 118
PATIENCE = 60
CYCLE_SECONDS, HOLD_SECONDS = 16, 5
COLORS = {"agent": "#7db8f5", "bad": "#ff9d94", "good": "#7fd396", "plain": "#e6edf3", "soft": "#a3b0bd"}

Line = tuple[str, str, int]
"""A colour, a text, and the number of the step with which it appears."""


def tell_story(*, server: str, key: str, page: Page, path: Path) -> None:
    """Make the two calls, read their rows, and draw them."""
    latest = _read_calls(page, server=server)[:1]
    refused, refused_status = _call(server, key=key, arguments=ASKED)
    error = refused["error"]
    fix = error["details"]["retryWith"]
    answered, answered_status = _call(server, key=key, arguments=ASKED | fix)
    for _ in range(PATIENCE):  # rows are written some moments after the answer
        rows = _read_calls(page, server=server)[:3]
        if rows[2:] == latest or (not latest and len(rows) > 1):
            break
        page.wait_for_timeout(500)
    results = answered["data"]["results"]
    code, message = error["details"]["code"], error["message"]
    lines: list[Line] = [
        ("agent", f"agent    {TOOL} {json.dumps(ASKED)}", 0),
        ("bad", f"toolroom {refused_status} {code}: {message}", 1),
        ("good", f"         retryWith {json.dumps(fix)}", 2),
        ("agent", f"agent    {TOOL} {json.dumps(ASKED | fix)}", 3),
        ("good", f"toolroom {answered_status}, {len(results)} rows", 4),
        *(("plain", f"         {_describe(row)}", 4) for row in results[:3]),
        ("plain", f"         … {len(results) - 3} more", 4),
        ("soft", "audit    each call left a row:", 5),
        *(("plain", f"         {row}", 5) for row in reversed(rows[:2])),
    ]
    path.write_text(draw_lines(lines), encoding="utf-8")


def _read_calls(page: Page, *, server: str) -> list[str]:
    page.goto(f"{server}/activity/?tool={TOOL}")
    return [" ".join(text.split()) for text in page.locator("#calls tbody tr").all_inner_texts()]


def draw_lines(lines: Sequence[Line]) -> str:
    """Draw lines that appear step by step, then stand, then begin again."""
    height = TOP + LINE * len(lines) + 14
    last = max(step for _, _, step in lines)
    steps = "".join(_show(step, last=last) for step in range(last + 1))
    words = "".join(
        f'<text class="step{step}" x="{LEFT}" y="{TOP + LINE * place}" fill="{COLORS[color]}">'
        f"{escape(_cut(text), quote=False)}</text>"
        for place, (color, text, step) in enumerate(lines)
    )
    title = "An agent errs, is told the fix, is answered; the audit log has both calls"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{title}">'
        f"<title>{title}</title><style>text{{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;"
        f"white-space:pre}}{steps}@media(prefers-reduced-motion:reduce){{text{{animation:none!important}}}}</style>"
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#0f1419"/><rect width="{WIDTH}" height="34" rx="10" '
        'fill="#1f2730"/><circle cx="20" cy="17" r="5" fill="#ff9d94"/><circle cx="38" cy="17" r="5" fill="#f0c069"/>'
        f'<circle cx="56" cy="17" r="5" fill="#7fd396"/>{words}</svg>\n'
    )


def _show(step: int, *, last: int) -> str:
    starts = round(100 * step * (CYCLE_SECONDS - HOLD_SECONDS) / CYCLE_SECONDS / max(last, 1), 1)
    return (
        f"@keyframes s{step}{{0%,{starts}%{{opacity:0}}{round(starts + 2, 1)}%,100%{{opacity:1}}}}"
        f".step{step}{{animation:s{step} {CYCLE_SECONDS}s infinite}}"
        if step
        else ""
    )


def _call(server: str, *, key: str, arguments: dict[str, str]) -> tuple[dict[str, Any], int]:
    answer = httpx.post(
        f"{server}/api/tools/linescore/{TOOL}", json=arguments, headers={"Authorization": f"Bearer {key}"}, timeout=30
    )
    body: dict[str, Any] = answer.json()
    return body, answer.status_code


def _describe(row: dict[str, Any]) -> str:
    return (
        f"{row['game_date']}  {row['away_team_code']} at {row['home_team_code']}  period {row['period_number']}  "
        f"{row['goals_for']}-{row['goals_against']}  {row['period_outcome']}"
    )


def _cut(text: str) -> str:
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"
