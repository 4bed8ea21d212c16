"""One CSV export in many forms: delimiters, encodings, languages, ways of writing dates. The issues are the same."""

from typing import Any

import pytest

from sprints.ingest.record import Doubt, IssueRecord
from sprints.ingest.sources import read_sources

HEADS = {
    "en": "Summary,Issue key,Issue id,Issue Type,Status,Assignee,Created,Updated,Custom field (Story Points),Labels",
    "de": "Zusammenfassung,Vorgangsschlüssel,Vorgangs-ID,Vorgangstyp,Status,Zugewiesene Person,Erstellt,Aktualisiert,"
          "Benutzerdefinierte Felder (Story Points),Stichwörter",
    "fr": "Résumé,Clé de ticket,ID de ticket,Type de ticket,État,Personne assignée,Création,Mise à jour,"
          "Champs personnalisés (Story Points),Étiquettes",
    "es": "Resumen,Clave de incidencia,ID de la incidencia,Tipo de Incidencia,Estado,Persona asignada,Creada,"
          "Actualizada,Campo personalizado (Story Points),Etiquetas",
}  # fmt: skip
DATES = {
    "en": ("05/Mar/26 3:04 PM", "16/May/26 9:00 AM"),
    "de": ("05.03.26 15:04", "16.05.2026 09:00"),
    "fr": ("05/mars/26 15:04", "16/mai/26 09:00"),
    "es": ("05/mar/26 3:04 p. m.", "16/may/26 9:00 AM"),
}


def export(language: str, *, delimiter: str = ",", dates: tuple[str, str] | None = None, points: str = "2.5") -> str:
    created, updated = dates or DATES[language]
    cells = ["Größe, ändern", "SHOP-1", "71", "Bug", "Offen", "Zoë", created, updated, points, "ux"]
    head = HEADS[language].split(",")
    return "\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in (head, cells)) + "\n"


def read(text: bytes) -> tuple[list[IssueRecord], list[Doubt]]:
    found, _, unreadable = read_sources([("export.csv", text)])
    records = list(found)
    issues = [one for one in records if isinstance(one, IssueRecord)]
    return issues, [*unreadable, *(one for one in records if isinstance(one, Doubt) and one.kind != "status")]


def content(issue: IssueRecord) -> tuple[Any, ...]:
    times = [f"{at:%Y-%m-%d %H:%M}" for at in (issue.created_at, issue.updated_at)]
    return (issue.title, issue.issue_key, issue.external_id, issue.issue_type, issue.status, *times,
            str(issue.story_points), issue.labels, issue.assignee)  # fmt: skip


TRUTH = ("Größe, ändern", "SHOP-1", "71", "Bug", "Offen", "2026-03-05 15:04", "2026-05-16 09:00", "2.5", ("ux",), "Zoë")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("language", HEADS)
def test_an_export_is_read_in_every_form(language: str, delimiter: str, encoding: str) -> None:
    issues, doubts = read(export(language, delimiter=delimiter).encode(encoding))

    assert [content(issue) for issue in issues] == [TRUTH]
    assert doubts == []


def test_windows_1252_is_read_and_said() -> None:
    issues, doubts = read(export("de", delimiter=";").encode("cp1252"))

    assert [content(issue) for issue in issues] == [TRUTH]
    assert [doubt.reason for doubt in doubts] == ["not UTF-8; read as Windows-1252"]


def test_a_decimal_comma_is_a_point() -> None:
    issues, _ = read(export("de", delimiter=";", points="2,5").encode())

    assert [content(issue) for issue in issues] == [TRUTH]


@pytest.mark.parametrize(
    ("language", "dates", "read_as", "is_doubted"),
    [
        ("fr", ("05/03/2026 15:04", "16/05/2026 09:00"), ("2026-03-05 15:04", "2026-05-16 09:00"), False),
        ("en", ("05/03/2026 15:04", "16/05/2026 09:00"), ("2026-03-05 15:04", "2026-05-16 09:00"), False),
        ("en", ("03/05/2026 3:04 PM", "05/16/2026 9:00 AM"), ("2026-03-05 15:04", "2026-05-16 09:00"), False),
        ("fr", ("05/03/2026 15:04", "06/05/2026 09:00"), ("2026-03-05 15:04", "2026-05-06 09:00"), True),
        ("en", ("05/03/2026 15:04", "06/05/2026 09:00"), ("2026-05-03 15:04", "2026-06-05 09:00"), True),
        ("es", ("2026-03-05 15:04", "2026-05-16T09:00:00"), ("2026-03-05 15:04", "2026-05-16 09:00"), False),
    ],
)
def test_the_order_of_day_and_month_is_the_file_s(
    language: str, dates: tuple[str, str], read_as: tuple[str, str], *, is_doubted: bool
) -> None:
    issues, doubts = read(export(language, dates=dates).encode())

    assert content(issues[0])[5:7] == read_as
    assert [doubt.kind for doubt in doubts] == ["file"] * is_doubted


def test_a_key_is_found_by_its_content_and_unknown_headings_are_named() -> None:
    text = "Sammendrag,Nøkkel,Type,Created,Tilstand\nA,NO-1,Bug,2026-01-01,Åpen\nB,NO-2,Bug,2026-01-02,Lukket\n"

    issues, doubts = read(text.encode())

    assert [issue.issue_key for issue in issues] == ["NO-1", "NO-2"]
    assert [doubt.is_warning for doubt in doubts] == [True]
    assert all(word in doubts[0].reason for word in ("'Sammendrag'", "'Tilstand'", "status", "summary"))


def test_a_table_without_a_known_creation_is_refused_with_its_headings() -> None:
    issues, doubts = read(b"Sammendrag,Nokkel,Opprettet\nA,NO-1,2026-01-01\nB,NO-2,2026-01-02\n")

    assert issues == []
    assert "'Opprettet'" in doubts[0].reason
    assert not doubts[0].is_warning


@pytest.mark.parametrize(
    "text",
    [
        "\n \n{table}",
        "sep=,\n{table}",
        "sep=,\r\n\r\n{table}",
        'Issue key, Summary, Created\nA-1, "x, y", 2026-01-02\n',
    ],
)
def test_what_a_spreadsheet_adds_around_a_table_is_left_out(text: str) -> None:
    table = 'Issue key,Summary,Created\nA-1,"x, y",2026-01-02\n'

    issues, doubts = read(text.format(table=table).encode())

    assert [(issue.issue_key, issue.title) for issue in issues] == [("A-1", "x, y")]
    assert [doubt for doubt in doubts if not doubt.is_warning] == []


def test_a_table_of_something_else_is_not_an_export() -> None:
    issues, doubts = read(b"name,amount\nA,1\nB,2\n")

    assert issues == []
    assert "neither JSON" in doubts[0].reason


@pytest.mark.parametrize("head", ["Issue key,Summary,Created", "Issue key,Summary,Created,Issue Type"])
def test_an_issue_without_a_type_has_none(head: str) -> None:
    issues, _ = read(f"{head}\nNT-1,a,2026-03-14{',' * (head.count(',') - 2)}\n".encode())

    assert [issue.issue_type for issue in issues] == [""]


HEAD = "Issue key,Issue id,{},Summary,Issue Type,Status,Status Category,Created\n"


@pytest.mark.parametrize("heading", ["Parent id", "Parent"])
def test_a_parent_may_be_named_by_its_id(heading: str) -> None:
    rows = "PI-2,102,101,Child,Sub-task,Done,Done,2026-03-14\nPI-1,101,,Top,Story,Done,Done,2026-03-14\n"

    issues, doubts = read((HEAD.format(heading) + rows).encode())

    assert [(issue.issue_key, issue.parent_key) for issue in issues] == [("PI-2", "PI-1"), ("PI-1", "")]
    assert doubts == []


def test_a_parent_whose_id_is_not_in_the_file_is_named() -> None:
    row = "PI-2,102,999,Child,Sub-task,Done,Done,2026-03-14\n"

    issues, doubts = read((HEAD.format("Parent id") + row).encode())

    assert [issue.parent_key for issue in issues] == [""]
    assert [("'999'" in doubt.reason, doubt.is_warning) for doubt in doubts] == [(True, True)]


def test_a_plain_heading_of_story_points_is_not_called_unknown() -> None:
    issues, doubts = read(b"Issue key,Summary,Story Points,Notes of ours,Created\nA-1,a,5,x,2026-03-14\n")

    assert [str(issue.story_points) for issue in issues] == ["5"]
    assert ["'Notes of ours'" in doubt.reason and "Story Points" not in doubt.reason for doubt in doubts] == [True]
