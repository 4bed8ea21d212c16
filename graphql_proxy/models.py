"""
Models of upstreams: limits, headers, schemas, error hints, saved operations.

The reader role sees every table but `UpstreamHeader`. A header's value is an encrypted secret
(graphql_proxy/secrets.py) that the sending module reads through the owner's connection.
"""

from typing import Self

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q, Value

from toolbox.models import ApiKey

SLUG = RegexValidator(r"^[a-z][a-z0-9-]{0,39}$", "Lower-case letters, digits and hyphens, beginning with a letter.")


def _limit(default: int, most: int, help_text: str) -> "models.PositiveIntegerField[int, int]":
    return models.PositiveIntegerField(
        default=default, validators=[MinValueValidator(1), MaxValueValidator(most)], help_text=help_text
    )


class UpstreamQuerySet(models.QuerySet["Upstream"]):
    """Queries of upstreams."""

    def usable(self) -> Self:
        """Keep the enabled upstreams, the default first."""
        return self.filter(is_enabled=True).order_by("-is_default", "slug")


class Upstream(models.Model):
    """A GraphQL API that tools may query, with its limits."""

    slug = models.CharField(max_length=40, unique=True, validators=[SLUG], help_text="What callers name it by.")
    title = models.CharField(max_length=200, blank=True)
    address = models.CharField(max_length=500, help_text="Where queries are posted, as https://api.example.org/graphql")
    is_enabled = models.BooleanField(default=True)
    is_default = models.BooleanField(default=False, help_text="Asked where a caller names none.")
    is_local = models.BooleanField(
        default=False, help_text="It may stand at a private address, such as 127.0.0.1; others are refused there."
    )
    is_open = models.BooleanField(
        default=True, help_text="Every key that may read may ask it; otherwise only the keys chosen below."
    )
    keys = models.ManyToManyField(
        ApiKey,
        blank=True,
        related_name="+",
        db_table="graphql_proxy_upstream_keys",
        help_text="Who may ask it where it is not open to all.",
    )
    allows_mutations = models.BooleanField(default=False, help_text="Documents that write may be sent, when approved.")
    allows_introspection = models.BooleanField(
        default=True, help_text="Documents may ask for __schema and __type, and its schema may be fetched from it."
    )
    timeout_seconds = models.FloatField(default=8.0, validators=[MinValueValidator(0.1), MaxValueValidator(60)])
    cache_seconds = models.PositiveIntegerField(
        default=0, validators=[MaxValueValidator(86_400)], help_text="How long equal queries share an answer; 0: never."
    )
    most_answer_bytes = _limit(2_097_152, 33_554_432, "An answer is read no further than this, unpacked.")
    most_document_bytes = _limit(65_536, 1_048_576, "The longest document.")
    most_tokens = _limit(5_000, 50_000, "Words and signs of a document.")
    most_depth = _limit(12, 50, "Selections inside each other.")
    most_aliases = _limit(30, 1_000, "Fields that are given another name, fragments spread out.")
    most_root_fields = _limit(20, 500, "Queries of one document, fragments spread out.")
    most_directives = _limit(30, 1_000, "Directives of a document.")
    most_list_size = _limit(1_000, 100_000, "The highest first, last, limit or pageSize.")
    assumed_list_size = _limit(20, 1_000, "What a list costs that says no size.")
    most_cost = _limit(
        100_000, 100_000_000, "The highest cost of a document: fields, times the sizes of the lists around them."
    )
    size_names = models.CharField(
        max_length=500,
        blank=True,
        default="",
        db_default="",
        validators=[RegexValidator(r"^[_A-Za-z0-9 ]*$", "Names separated by spaces.")],
        help_text="More names of arguments and input fields that say how many rows to return, separated by spaces; "
        "first, last, limit, count, size, take, top, n, pageSize, perPage and max… are known.",
    )
    caller_header = models.CharField(
        max_length=100,
        blank=True,
        default="",
        db_default="",
        validators=[RegexValidator(r"^[A-Za-z0-9-]+$", "Letters, digits and hyphens.")],
        help_text="The header of this upstream in which a caller's own credential is sent, as Authorization. "
        "Empty: callers' credentials are not passed on.",
    )
    needs_caller_credential = models.BooleanField(
        default=False, db_default=False, help_text="Requests without a credential of the caller's own are refused."
    )
    refresh_hours = models.PositiveIntegerField(
        default=0,
        db_default=0,
        validators=[MaxValueValidator(8_760)],
        help_text="How often its schema is fetched again, in hours; 0: never.",
    )
    max_answer_tokens = models.PositiveIntegerField(
        default=0,
        db_default=0,
        validators=[MaxValueValidator(1_000_000)],
        help_text="Answers larger than this are cut at a list, in tokens of four bytes; 0: never.",
    )
    notes = models.TextField(blank=True)

    objects = UpstreamQuerySet.as_manager()

    class Meta:
        db_table = "graphql_proxy_upstreams"
        constraints = [
            models.UniqueConstraint(
                name="graphql_proxy_upstreams_one_default",
                fields=["is_default"],
                condition=Q(is_default=True),
                violation_error_message="Another upstream is the default already.",
            ),
            models.CheckConstraint(
                name="graphql_proxy_upstreams_address",
                condition=Q(address__regex=r"^https?://[^/?#@\s]+[^@\s]*$"),
                violation_error_message="An address begins with http:// or https:// and holds no user or password.",
            ),
        ]

    def __str__(self) -> str:
        return self.slug


class UpstreamHeader(models.Model):
    """
    A header sent with each request. Its value is a secret, encrypted here or in an environment variable.

    The reader role cannot SELECT this table. Nobody is shown a value again.
    """

    upstream = models.ForeignKey(Upstream, on_delete=models.CASCADE, related_name="headers")
    name = models.CharField(
        max_length=100, validators=[RegexValidator(r"^[A-Za-z0-9-]+$", "Letters, digits and hyphens.")]
    )
    sealed_value = models.BinaryField(default=b"", blank=True, editable=False)
    variable = models.CharField(
        max_length=100,
        blank=True,
        validators=[RegexValidator(r"^GRAPHQL_SECRET_[A-Z0-9_]+$", "A name that begins with GRAPHQL_SECRET_.")],
        help_text="The environment variable that holds the value, as GRAPHQL_SECRET_STATS; read at start.",
    )

    class Meta:
        db_table = "graphql_proxy_upstream_headers"
        constraints = [
            models.UniqueConstraint(
                name="graphql_proxy_upstream_headers_once",
                fields=["upstream", "name"],
                violation_error_message="This upstream has that header already.",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class SchemaSnapshot(models.Model):
    """A version of an upstream's schema. Documents are validated against the highest version."""

    class Source(models.TextChoices):
        """The origin of a schema."""

        SDL = "sdl", "Schema definition"
        INTROSPECTION = "introspection", "Introspection JSON"
        FETCHED = "fetched", "Asked of the upstream"

    upstream = models.ForeignKey(Upstream, on_delete=models.CASCADE, related_name="schemas")
    version = models.PositiveIntegerField()
    sdl = models.TextField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the schema definition.")
    source = models.CharField(max_length=20, choices=Source.choices)
    query_count = models.PositiveIntegerField()
    type_count = models.PositiveIntegerField()
    changes = models.JSONField(
        default=list, blank=True, help_text="Against the version before: a list of {kind, path, description}."
    )
    warnings = models.JSONField(
        default=list,
        db_default=Value([], models.JSONField()),
        blank=True,
        help_text="What was wrong with it: a list of {path, line, column, message}.",
    )
    taken_at = models.DateTimeField()

    class Meta:
        db_table = "graphql_proxy_schemas"
        constraints = [
            models.UniqueConstraint(name="graphql_proxy_schemas_once", fields=["upstream", "version"]),
        ]

    def __str__(self) -> str:
        return f"{self.upstream_id} version {self.version}"

    @classmethod
    def newest_of(cls, upstream: Upstream | None) -> Self | None:
        """Return the newest schema of an upstream, by default of the default upstream."""
        chosen = upstream or Upstream.objects.usable().first()
        return cls.objects.filter(upstream=chosen).order_by("-version").first() if chosen else None


class SchemaRefresh(models.Model):
    """The last scheduled fetch of an upstream's schema. `problem` is empty if it succeeded."""

    upstream = models.OneToOneField(Upstream, on_delete=models.CASCADE, related_name="refresh")
    tried_at = models.DateTimeField()
    problem = models.CharField(max_length=500, blank=True)

    class Meta:
        db_table = "graphql_proxy_schema_refreshes"

    def __str__(self) -> str:
        return f"{self.upstream_id} at {self.tried_at:%Y-%m-%d %H:%M}"


class UpstreamRefusal(models.Model):
    """
    A refused document with its error and the fix that was offered. Only the newest of each upstream are kept.

    Written by graphql_proxy/refusal_log.py, which bounds every text. No variables are stored.
    """

    upstream = models.ForeignKey(Upstream, on_delete=models.CASCADE, related_name="refusals")
    refused_at = models.DateTimeField()
    message = models.TextField(help_text="The upstream's own words.")
    rule = models.CharField(max_length=100, blank=True, help_text="Which rule of the schema was broken, if any.")
    coordinate = models.CharField(max_length=300, blank=True, help_text="Where in the schema, as Repository.issues.")
    hint = models.TextField(blank=True, help_text="The first hint that the caller was given.")
    offered = models.TextField(blank=True, help_text="The corrected document that was offered; empty where none was.")
    request_id = models.CharField(max_length=200, blank=True, help_text="The call in the audit log.")

    class Meta:
        db_table = "graphql_proxy_refusals"
        indexes = [models.Index(name="graphql_proxy_refusals_newest", fields=["upstream", "-id"])]

    def __str__(self) -> str:
        return f"{self.rule or 'refused'} at {self.refused_at:%Y-%m-%d %H:%M}"


class ErrorHint(models.Model):
    """
    A hint for an upstream's error. A pattern that cannot be used is skipped; the error is always shown.

    Layer `message` is the contract's: appended to "Cannot query field" errors alone. Layer `beside` stands in
    `hints`, and may look into the schema: what was found takes the place of {found}, named groups that of {name}.
    """

    class Matcher(models.TextChoices):
        """How the pattern is matched against an error."""

        REGEX = "regex", "Regular expression"
        CONTAINS = "contains", "Contains the words"

    class Layer(models.TextChoices):
        """Where the hint appears."""

        MESSAGE = "message", "After the message"
        BESIDE = "beside", "In the list of hints"

    class Lookup(models.TextChoices):
        """The schema lookup, with the pattern's named groups. The hint is left out if the lookup finds nothing."""

        NOTHING = "", "Nothing"
        FIELD = "field", "Fields like {field} on {type}"
        LEVEL = "level", "{field} on another level of {type}, as below edges"
        TYPE = "type", "Types like {type}"
        ARGUMENT = "argument", "Arguments like {argument} of {type}.{field}"
        ENUM_VALUE = "enum_value", "Values like {value} of the enum {type}"
        SELECTION = "selection", "What can be selected on {type}"
        VARIABLE = "variable", "Variables of the document that were not sent"

    name = models.CharField(max_length=100, unique=True)
    matcher = models.CharField(max_length=20, choices=Matcher.choices, default=Matcher.REGEX)
    pattern = models.CharField(max_length=1_000)
    layer = models.CharField(max_length=20, choices=Layer.choices, default=Layer.BESIDE)
    lookup = models.CharField(max_length=20, choices=Lookup.choices, default=Lookup.NOTHING, blank=True)
    hint = models.TextField()
    order = models.PositiveIntegerField(default=100, help_text="Lower ones are said first.")
    is_enabled = models.BooleanField(default=True)
    upstream = models.ForeignKey(
        Upstream, on_delete=models.CASCADE, null=True, blank=True, related_name="hints", help_text="Empty: all."
    )
    example = models.TextField(blank=True, help_text="An error that it is about.")

    class Meta:
        db_table = "graphql_proxy_error_hints"

    def __str__(self) -> str:
        return self.name


class SavedOperation(models.Model):
    """
    A GraphQL document as a tool: its variables are the parameters, its mapping flattens the answer.

    Rows named like one of the contract's six tools (`is_contract`) are their documents; any other row becomes a tool of
    its own on every transport, or is skipped, with the reason in the admin.
    """

    name = models.CharField(
        max_length=64,
        unique=True,
        validators=[RegexValidator(r"^[a-z][a-z0-9_]{2,63}$", "snake_case, 3 to 64 characters.")],
        help_text="The tool's name; unique across the catalogue.",
    )
    upstream = models.ForeignKey(
        Upstream,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="operations",
        help_text="Empty: default.",
    )
    description = models.TextField(help_text="What the model that chooses a tool reads.")
    document = models.TextField()
    variables_schema = models.JSONField(default=dict, blank=True, help_text="JSON Schema of the parameters.")
    result_mapping = models.JSONField(default=dict, blank=True)
    example = models.JSONField(default=dict, blank=True, help_text="Parameters that work.")
    is_contract = models.BooleanField(default=False, editable=False)
    is_enabled = models.BooleanField(default=True)

    class Meta:
        db_table = "graphql_proxy_operations"

    def __str__(self) -> str:
        return self.name
