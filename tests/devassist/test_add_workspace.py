"""Workspaces by command, and in the admin."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from devassist.models import Workspace
from toolbox.models import ApiKey


def test_the_command_adds_a_workspace_and_gives_it_to_keys(
    scratch_database: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = tmp_path / "My Shop"
    shop.mkdir()

    call_command("add_workspace", str(shop), "--key", "alice", "--key", "bob", "--default")
    call_command("add_workspace", str(tmp_path), "--name", "my-shop")

    row = Workspace.objects.get(name="my-shop")
    assert (row.root, row.is_open, row.is_default) == (str(tmp_path), False, False)
    assert {key.name for key in row.keys.all()} == {"alice", "bob"}
    assert "seen by 2 keys" in capsys.readouterr().out
    for wrong in (["/missing-at-all"], [str(shop), "--key", "nobody"], [str(shop), "--name", "No Name"]):
        with pytest.raises(CommandError):
            call_command("add_workspace", *wrong)
    assert ApiKey.objects.filter(name="alice").exists()


def test_the_admin_looks_at_the_disk(scratch_database: None, tmp_path: Path) -> None:
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    page = "/admin/devassist/workspace/add/"

    refused = client.post(page, {"name": "there", "root": "/proc/self"})
    added = client.post(page, {"name": "here", "root": str(tmp_path)})

    assert "belongs to the system" in refused.content.decode()
    assert added.status_code == 302
    assert list(Workspace.objects.filter(name__in=["there", "here"]).values_list("name", "is_open")) == [
        ("here", False)
    ]
    listed = client.get("/admin/devassist/workspace/").content.decode()
    assert str(tmp_path) in listed
