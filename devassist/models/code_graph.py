"""Models of the code graph: files, symbols, bases, imports, calls."""

from django.db import models

from devassist.models.workspaces import Workspace


class GraphBuild(models.Model):
    """The state of one workspace's graph: its build, and the content that it describes."""

    class State(models.TextChoices):
        """The stage of a build."""

        READING = "reading"
        LINKING = "linking"
        READY = "ready"
        FAILED = "failed"

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, primary_key=True, related_name="+")
    root = models.CharField(max_length=4_096, help_text="The folder that was read.")
    state = models.CharField(max_length=10, choices=State.choices)
    files_done = models.PositiveIntegerField(default=0)
    files_total = models.PositiveIntegerField(default=0)
    content_hash = models.CharField(max_length=64, blank=True, help_text="SHA-256 of all paths and file hashes.")
    version = models.PositiveIntegerField(default=0, help_text="Of the analysis; another one reads all files again.")
    is_cut = models.BooleanField(default=False, help_text="The workspace has more files than are read.")
    note = models.CharField(max_length=500, blank=True, help_text="Why it failed.")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        db_table = "devassist_graph_builds"

    def __str__(self) -> str:
        return f"{self.workspace_id}: {self.state}"


class GraphFile(models.Model):
    """A source file at its last read, with its facts for the linker."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    path = models.CharField(max_length=4_096, help_text="From the workspace's root.")
    language = models.CharField(max_length=20)
    content_hash = models.CharField(max_length=64)
    modified_ns = models.BigIntegerField()
    size = models.BigIntegerField()
    is_test = models.BooleanField()
    problem = models.CharField(max_length=200, blank=True, help_text="Why not all of it could be read.")
    facts = models.BinaryField(help_text="What the linker needs, as MessagePack.")
    calls_hash = models.CharField(max_length=64, blank=True, help_text="Of its rows of calls.")

    class Meta:
        db_table = "devassist_graph_files"
        constraints = [models.UniqueConstraint(name="devassist_graph_files_once", fields=["workspace", "path"])]

    def __str__(self) -> str:
        return self.path


class GraphSymbol(models.Model):
    """A function, a method, a class or an interface."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    file = models.ForeignKey(GraphFile, on_delete=models.CASCADE, related_name="+")
    container = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="+")
    number = models.PositiveIntegerField(help_text="Tells symbols of one qualified name in one file apart.")
    name = models.CharField(max_length=300)
    qualified_name = models.CharField(max_length=1_000)
    kind = models.CharField(max_length=20)
    line = models.PositiveIntegerField(help_text="Where its name stands, from 1.")
    character = models.PositiveIntegerField(help_text="As language servers count, from 0.")
    start_line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField()
    signature = models.CharField(max_length=400)
    handed_to = models.CharField(
        max_length=4_200, blank=True, help_text="Where it is handed, as a value, to code that is not followed."
    )

    class Meta:
        db_table = "devassist_graph_symbols"
        constraints = [
            models.UniqueConstraint(name="devassist_graph_symbols_once", fields=["file", "qualified_name", "number"])
        ]
        indexes = [models.Index(name="devassist_graph_symbols_name", fields=["workspace", "name"])]

    def __str__(self) -> str:
        return self.qualified_name


class GraphBase(models.Model):
    """A base class, an interface or a protocol of a class."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    symbol = models.ForeignKey(GraphSymbol, on_delete=models.CASCADE, related_name="+")
    base_name = models.CharField(max_length=300)
    base = models.ForeignKey(GraphSymbol, on_delete=models.CASCADE, null=True, related_name="+")

    class Meta:
        db_table = "devassist_graph_bases"

    def __str__(self) -> str:
        return self.base_name


class GraphImport(models.Model):
    """An imported name, and the file it comes from if that is in the workspace."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    file = models.ForeignKey(GraphFile, on_delete=models.CASCADE, related_name="+")
    line = models.PositiveIntegerField()
    module = models.CharField(max_length=1_000)
    name = models.CharField(max_length=300)
    local_name = models.CharField(max_length=300)
    target = models.ForeignKey(GraphFile, on_delete=models.CASCADE, null=True, related_name="+")

    class Meta:
        db_table = "devassist_graph_imports"

    def __str__(self) -> str:
        return f"{self.module} {self.name}"


class GraphCall(models.Model):
    """
    A call, one row for each function that it may reach.

    Without a target nothing in the workspace was found for it: `is_open` tells that something there could be meant.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    file = models.ForeignKey(GraphFile, on_delete=models.CASCADE, related_name="+")
    caller = models.ForeignKey(
        GraphSymbol, on_delete=models.CASCADE, null=True, related_name="+", help_text="Empty for a file's top level."
    )
    callee_name = models.CharField(max_length=300, help_text="Empty where the call names nothing, as handlers[key]().")
    receiver = models.CharField(max_length=300, help_text="What stands before the name.")
    line = models.PositiveIntegerField()
    character = models.PositiveIntegerField()
    target = models.ForeignKey(GraphSymbol, on_delete=models.CASCADE, null=True, related_name="+")
    found_by = models.CharField(max_length=10)
    confidence = models.FloatField()
    is_open = models.BooleanField(help_text="It may reach more than what was found.")

    class Meta:
        db_table = "devassist_graph_calls"
        indexes = [
            models.Index(name="devassist_graph_calls_open", fields=["workspace", "callee_name"],
                         condition=models.Q(is_open=True)),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.receiver} {self.callee_name}"
