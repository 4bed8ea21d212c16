"""The shipped examples of this domain work on the shipped app."""

from io import StringIO

from django.core.management import call_command

from toolbox.database.caches import clear_all_caches


def test_the_shipped_examples_work(scratch_database: None) -> None:
    clear_all_caches()
    out = StringIO()

    call_command("check_examples", "devassist", stdout=out, stderr=out)

    assert out.getvalue().endswith("4 examples work\n")
    clear_all_caches()
