"""Exports that are cut, damaged or edited: what is whole is read, and what is not is named."""

import json

import pytest

from tests.sprints.ingest.test_csv_forms import read

HEAD = "Summary,Issue key,Issue Type,Status,Assignee,Created,Updated,Story Points,Description\n"


def row(number: int, *, key: str = "", created: str = "2026-03-05 15:04", description: str = "ok") -> str:
    key = key or f"CUT-{number}"
    return f'"{number}",{key},Bug,Done,José Núñez,"{created}",2026-05-16 09:00,3,"{description}"\n'


WHOLE = HEAD + row(1) + row(2) + row(3, description="two\nlines, with é")


@pytest.mark.parametrize(("encoding", "letter"), [("utf-8", b"\xff"), ("utf-16-le", b"\x00\xd8")])
def test_a_damaged_letter_does_not_change_the_others(encoding: str, letter: bytes) -> None:
    text = WHOLE.encode(encoding).replace("two".encode(encoding), letter)

    issues, doubts = read(text)

    assert {issue.assignee for issue in issues} == {"José Núñez"}
    assert [doubt.kind for doubt in doubts] == ["file"]
    assert doubts[0].is_warning
    assert doubts[0].reason.startswith("1 ")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_file_that_ends_in_the_middle_of_a_row_has_the_rows_before_it(encoding: str) -> None:
    whole = WHOLE.removesuffix("\n")
    an_empty_description = whole[: whole.rindex(',"') + 1].encode(encoding)
    for left_out in range(1, 60):
        cut = whole.encode(encoding)[:-left_out]
        if cut == an_empty_description:
            continue  # as whole as the others

        issues, doubts = read(cut)

        assert [issue.issue_key for issue in issues] == ["CUT-1", "CUT-2"], left_out
        assert {issue.assignee for issue in issues} == {"José Núñez"}
        refused = [doubt for doubt in doubts if not doubt.is_warning]
        assert [doubt.reason for doubt in refused] == ["the file ends in the middle of this row"]
        assert refused[0].record


def test_a_quote_that_is_never_closed_takes_the_rows_after_it() -> None:
    issues, doubts = read((HEAD + row(1) + row(2).replace(',"ok"', ',"ok') + row(3).replace('"', "")).encode())

    assert [issue.issue_key for issue in issues] == ["CUT-1"]
    assert [doubt.reason for doubt in doubts] == ["the file ends in the middle of this row"]
    assert "CUT-3" in doubts[0].record


def test_the_last_row_may_lack_its_line_end() -> None:
    issues, doubts = read(WHOLE.removesuffix("\n").encode())

    assert [issue.issue_key for issue in issues] == ["CUT-1", "CUT-2", "CUT-3"]
    assert doubts == []


@pytest.mark.parametrize("key", ['"=HYPERLINK(""https://x.example/browse/CUT-9"",""CUT-9"")"', "n-a", "-", "a b - 1"])
def test_what_is_no_key_makes_no_issue(key: str) -> None:
    issues, doubts = read((HEAD + row(1) + row(2, key=key)).encode())

    assert [issue.issue_key for issue in issues] == ["CUT-1"]
    assert [doubt.reason for doubt in doubts] == ["a row without an issue key"]


def test_two_values_under_one_heading_are_noted() -> None:
    text = "Issue key,Status,Status,Labels,Labels,Created\nA-1,Done,Open,x,y,2026-01-02\nA-2,Done,Done,x,,2026-01-02\n"

    issues, doubts = read(text.encode())

    assert [(issue.issue_key, issue.status, issue.labels) for issue in issues] == [
        ("A-1", "Done", ("x", "y")),
        ("A-2", "Done", ("x",)),
    ]
    assert [(doubt.name, doubt.reason) for doubt in doubts if doubt.kind == "issue"] == [
        ("A-1", "status: 'Done' and 'Open' stand under one heading; the first is taken")
    ]


@pytest.mark.parametrize(
    "written",
    [
        "Mar 5, 2026 15:04", "March 5, 2026 3:04 PM", "2026/03/05 15:04", "2026/3/5 15:04:00", "2026-03-05 3:04 PM",
        "2026.03.05 15:04", "mars 5 2026, 15:04",
    ],
)  # fmt: skip
def test_a_day_is_read_in_other_orders(written: str) -> None:
    issues, doubts = read((HEAD + row(1, created=written)).encode())

    assert doubts == []
    assert f"{issues[0].created_at:%Y-%m-%d %H:%M}" == "2026-03-05 15:04"


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85"])
def test_json_lines_are_parted_by_line_ends_only(separator: str) -> None:
    fields = {"summary": f"a{separator}b", "created": "2026-01-01T00:00:00Z"}
    lines = [json.dumps({"key": key, "fields": fields}, ensure_ascii=False) for key in ("A-1", "A-2")]

    issues, doubts = read("\r\n".join(lines).encode())

    assert [issue.issue_key for issue in issues] == ["A-1", "A-2"]
    assert [doubt for doubt in doubts if not doubt.is_warning] == []


@pytest.mark.parametrize("above", ["Export of 5 March\n", "Export of 5 March,,,\nby Ann,,,\n\n", 'a "title",;\n'])
def test_the_headings_may_stand_below_a_title(above: str) -> None:
    issues, doubts = read((above + WHOLE).encode())

    assert [issue.issue_key for issue in issues] == ["CUT-1", "CUT-2", "CUT-3"]
    assert [doubt.is_warning for doubt in doubts] == [True]
    assert "what is above them is left out" in doubts[0].reason


def test_rows_are_counted_with_those_above_the_headings() -> None:
    _, doubts = read(("Export of 5 March\n" + HEAD + row(1) + row(2, created="soon")).encode())

    assert [doubt.source for doubt in doubts if not doubt.is_warning] == ["export.csv row 4"]


def test_keys_are_read_in_any_case() -> None:
    issues, _ = read((HEAD + row(1, key="cut-1") + row(2, key="CUT-1")).encode())

    assert [issue.issue_key for issue in issues] == ["CUT-1", "CUT-1"]


def read_days(*created: str) -> tuple[list[str], list[str]]:
    rows = [row(place, created=one).replace("2026-05-16 09:00", one) for place, one in enumerate(created, 1)]
    issues, doubts = read((HEAD + "".join(rows)).encode())
    return [f"{issue.created_at:%Y-%m-%d}" for issue in issues], [doubt.reason for doubt in doubts]


@pytest.mark.parametrize(
    ("created", "days"),
    [
        (["26-03-14", "26-03-31", "26-04-02"], ["2026-03-14", "2026-03-31", "2026-04-02"]),
        (["14-03-26", "31-03-26", "02-04-26"], ["2026-03-14", "2026-03-31", "2026-04-02"]),
        (["26/03/14 10:30", "26/12/31 11:00"], ["2026-03-14", "2026-12-31"]),
        (["03/14/26", "03/31/26", "04/02/26"], ["2026-03-14", "2026-03-31", "2026-04-02"]),
        (["3/26/2026", "3/27/2026", "13/1/2026", "4/28/2026"], ["2026-03-26", "2026-03-27", "2026-04-28"]),
        (["26/3/2026", "27/3/2026", "1/13/2026", "28/4/2026"], ["2026-03-26", "2026-03-27", "2026-04-28"]),
    ],
)
def test_the_order_of_a_date_is_that_in_which_most_dates_exist(created: list[str], days: list[str]) -> None:
    assert read_days(*created)[0] == days


@pytest.mark.parametrize("created", ["26-03-14", "26-03-26"])
def test_an_order_that_the_file_does_not_show_is_said(created: str) -> None:
    days, reasons = read_days(created)

    assert any("does not show the order" in reason for reason in reasons)
    assert days != ["2014-03-26"]


def test_a_cell_that_is_too_long_is_named() -> None:
    _, doubts = read((HEAD + row(1, description="x" * (17 << 20))).encode())

    assert "a cell of it has more than 16 MB" in doubts[0].reason
