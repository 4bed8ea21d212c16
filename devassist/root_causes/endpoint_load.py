"""
Embedding of root causes by the configured model while another serves, and the switch when all vectors exist.

An interrupted run is continued by any process.
"""

from collections.abc import Callable
from hashlib import sha256

from django.db import connection
from pgvector import HalfVector

from devassist.models import EmbeddingModel, RootCause, RootCauseVector
from devassist.root_causes.vector_source import quote
from toolbox.embedding.endpoint import EmbeddingEndpoint, configured_endpoint
from toolbox.text.redaction import mask_secrets

BATCH = 64
PAIRS = 2_000
"""The number of entry pairs whose cosines calibrate two models."""

OnProgress = Callable[[EmbeddingModel], None]

_WITHOUT_VECTOR = """
SELECT r.id FROM devassist_root_causes AS r
LEFT JOIN devassist_root_cause_vectors AS v ON v.root_cause_id = r.id AND v.model = %(model)s
WHERE v.text_hash IS DISTINCT FROM r.text_hash ORDER BY r.id LIMIT %(most)s
"""
_COUNT_DONE = """
SELECT count(*) FILTER (WHERE v.text_hash = r.text_hash), count(*) FROM devassist_root_causes AS r
LEFT JOIN devassist_root_cause_vectors AS v ON v.root_cause_id = r.id AND v.model = %(model)s LIMIT 1
"""
_COMPARE = f"""
WITH one AS (
  SELECT v.embedding AS theirs, r.embedding AS ours, row_number() OVER (ORDER BY r.id) AS place, count(*) OVER () AS n
  FROM devassist_root_cause_vectors AS v JOIN devassist_root_causes AS r ON r.id = v.root_cause_id
  WHERE v.model = %(model)s AND r.embedding IS NOT NULL ORDER BY r.id LIMIT {PAIRS}
), pair AS (
  SELECT 1 - (a.theirs <=> b.theirs) AS theirs, 1 - (a.ours <=> b.ours) AS ours
  FROM one AS a JOIN one AS b ON b.place = (a.place * 7 + 1) %% least(a.n, {PAIRS}) + 1 AND a.place <> b.place
)
SELECT avg(ours), stddev_samp(ours), avg(theirs), stddev_samp(theirs) FROM pair
"""  # noqa: S608 - a number of ours


def embed_by_endpoint(*, most: int | None = None, on_progress: OnProgress = lambda _: None) -> int:
    """Embed what waits by the configured endpoint. Returns how many, 0 without one. Raises EmbeddingFailed."""
    endpoint = configured_endpoint()
    if endpoint is None:
        return 0
    state, _ = EmbeddingModel.objects.get_or_create(name=endpoint.model)
    done = 0
    while most is None or done < most:
        count = _embed_batch(endpoint, state=state)
        _count(state)
        on_progress(state)
        if not count:
            if state.state != EmbeddingModel.State.SERVING and state.total:
                _begin_serving(state)
                on_progress(state)
            break
        done += count
    return done


def _embed_batch(endpoint: EmbeddingEndpoint, *, state: EmbeddingModel) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_WITHOUT_VECTOR, {"model": state.name, "most": BATCH})
        ids = [row[0] for row in cursor.fetchall()]
    rows = list(RootCause.objects.filter(pk__in=ids).order_by("pk"))
    if not rows:
        return 0
    vectors = endpoint.embed_texts([mask_secrets(row.entry().text) for row in rows])
    if not state.dimensions:
        state.dimensions = vectors.shape[1]
    if state.dimensions != vectors.shape[1]:  # the name means another model now: its old vectors are of no use
        _forget_vectors(state.name)
        state.state, state.dimensions = EmbeddingModel.State.EMBEDDING, vectors.shape[1]
        state.save()
    RootCauseVector.objects.bulk_create(
        [
            RootCauseVector(
                root_cause=row, model=state.name, text_hash=row.text_hash, embedding=HalfVector(vector.tolist())
            )
            for row, vector in zip(rows, vectors, strict=True)
        ],
        update_conflicts=True, unique_fields=["root_cause", "model"], update_fields=["text_hash", "embedding"],
    )  # fmt: skip
    return len(rows)


def _count(state: EmbeddingModel) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_DONE, {"model": state.name})
        state.done, state.total = cursor.fetchone()
    state.save()


def _begin_serving(state: EmbeddingModel) -> None:
    """Create the index, calibrate the cosines, and let searches use the model. Earlier models are deleted."""
    _drop_index(state.name)  # one that was broken off is of no use
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE INDEX {_at_once()} {_name_index(state.name)} ON devassist_root_cause_vectors USING hnsw "
            f"((embedding::halfvec({state.dimensions})) halfvec_cosine_ops) WITH (m = 16, ef_construction = 100) "
            f"WHERE model = {quote(state.name).replace('%%', '%')}"
        )
        cursor.execute(_COMPARE, {"model": state.name})
        ours, our_width, theirs, their_width = cursor.fetchone()
    if our_width and their_width:
        state.scale = our_width / their_width
        state.shift = ours - theirs * state.scale
    state.state = EmbeddingModel.State.SERVING
    state.save()
    for old in EmbeddingModel.objects.exclude(name=state.name):
        _forget_vectors(old.name)
        old.delete()


def _forget_vectors(model: str) -> None:
    _drop_index(model)
    RootCauseVector.objects.filter(model=model).delete()


def _drop_index(model: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {_at_once()} IF EXISTS {_name_index(model)}")


def _at_once() -> str:
    """Return CONCURRENTLY, so that searches run during the work. Empty in a transaction, where it is not allowed."""
    return "" if connection.in_atomic_block else "CONCURRENTLY"


def _name_index(model: str) -> str:
    return f"devassist_root_cause_vectors_{sha256(model.encode()).hexdigest()[:12]}"
