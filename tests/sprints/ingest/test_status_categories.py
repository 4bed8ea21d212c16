"""What a status means: as the source says, else as Jira itself uses the name, else it is said that nobody knows."""

import json

import pytest

from sprints.ingest.record import Doubt, StatusRecord
from sprints.ingest.sources import read_sources

# Written down by hand: Jira's own names in the languages of its sites.
OF_JIRA = {
    "To Do": ("To Do", "Open", "Reopened", "Backlog", "Selected for Development", "Offen", "Aufgaben", "Neu",
              "Zu erledigen", "À faire", "Ouvert", "Por hacer", "Abierta", "待办", "未着手"),
    "In Progress": ("In Progress", "In Review", "In Arbeit", "In Bearbeitung", "En cours", "En curso", "处理中",
                    "進行中"),
    "Done": ("Done", "Closed", "Resolved", "Cancelled", "Rejected", "Won't Do", "Won\u2019t Do", "Duplicate", "Fertig",
             "Erledigt", "Geschlossen", "Fini", "Terminé(e)", "Résolu(e)", "Résolue", "Finalizada", "Listo", "Resuelta",
             "Hecho", "完成", "完了"),
}  # fmt: skip
UNKNOWN = ("Not Done", "Undone", "To be closed", "Nearly complete", "Reopen candidates", "Ausgeliefert", "QA")
"""Names of a site's own. Parts of them say nothing, or the opposite."""


def read(name: str, content: str) -> tuple[dict[str, str], list[Doubt]]:
    found, _, _ = read_sources([(name, content.encode())])
    records = list(found)
    statuses = {one.status_name: one.status_category for one in records if isinstance(one, StatusRecord)}
    return statuses, [one for one in records if isinstance(one, Doubt)]


def write_table(status: str) -> str:
    return f'Issue key,Summary,Issue Type,Status,Created\nA-1,a,Bug,"{status}",2026-03-14\n'


@pytest.mark.parametrize(("meant", "name"), [(meant, name) for meant, names in OF_JIRA.items() for name in names])
def test_a_name_of_jira_s_own_has_its_category(meant: str, name: str) -> None:
    statuses, doubts = read("t.csv", write_table(name))

    assert statuses == {name: meant}
    assert [(one.kind, one.is_warning) for one in doubts] == [("status", True)]


@pytest.mark.parametrize("name", UNKNOWN)
@pytest.mark.parametrize("is_table", [True, False])
def test_of_another_name_it_is_said_that_it_is_not_known_and_how_to_state_it(name: str, *, is_table: bool) -> None:
    fields = {"created": "2026-03-14T00:00:00Z", "issuetype": {"name": "Bug"}, "status": {"name": name}}
    answer = json.dumps([{"id": "1", "key": "A-1", "fields": fields}])

    statuses, [doubt] = read("t.csv", write_table(name)) if is_table else read("t.json", answer)

    assert statuses == {name: "In Progress"}
    assert "not known" in doubt.reason
    assert "'Status Category'" in doubt.reason
    assert "admin" in doubt.reason


GERMAN = (
    "Vorgangsschlüssel;Zusammenfassung;Vorgangstyp;Status;Statuskategorie;Erstellt\n"
    "DC-1;a;Story;Ausgeliefert;{};14.03.2026"
)
SPANISH = "Clave;Resumen;Tipo de Incidencia;Estado;Categoría de estado;Creada\nDC-1;a;Story;Ausgeliefert;{};14/03/2026"
FRENCH = "Clé de ticket;Résumé;Type de ticket;État;Catégorie d'état;Création\nDC-1;a;Story;Ausgeliefert;{};14/03/2026"
ENGLISH = "Issue key;Summary;Issue Type;Status;Status Category;Created\nDC-1;a;Story;Ausgeliefert;{};2026-03-14"


@pytest.mark.parametrize(
    ("table", "given", "meant"),
    [
        (GERMAN, "Fertig", "Done"), (GERMAN, "In Arbeit", "In Progress"), (GERMAN, "Zu erledigen", "To Do"),
        (SPANISH, "Listo", "Done"), (SPANISH, "Hecho", "Done"), (FRENCH, "Terminé", "Done"),
        (FRENCH, "À faire", "To Do"), (ENGLISH, "done", "Done"),
    ],
)  # fmt: skip
def test_a_category_that_the_file_gives_counts_in_its_language(table: str, given: str, meant: str) -> None:
    statuses, doubts = read("t.csv", table.format(given) + "\n")

    assert statuses == {"Ausgeliefert": meant}
    assert doubts == []


def test_a_category_in_other_words_is_said() -> None:
    heading = "Issue key,Summary,Issue Type,Status,Status Category,Created"
    _, doubts = read("t.csv", f"{heading}\nA-1,a,Bug,Open,Valmis,2026-03-14\n")

    assert [one.kind for one in doubts if "'Valmis'" in one.reason] == ["issue"]
