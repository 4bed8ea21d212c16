"""The SQL of storing."""

STORED = """
SELECT event_id::text, (extract(epoch FROM occurred_at) * 1000000)::bigint, event_type, severity,
       parent_event_id::text, md5(properties::text)
FROM backtests_events WHERE run_id = %s AND event_id = ANY(%s::uuid[])
"""

PARENTS = """
SELECT event_id::text, root_number, trail FROM backtests_events WHERE run_id = %s AND event_id = ANY(%s::uuid[])
"""

ORPHANS = """
SELECT number, parent_event_id::text FROM backtests_events
WHERE run_id = %s AND parent_event_id = ANY(%s::uuid[]) AND parent_event_id IS NOT NULL AND root_number = number
"""

HAS_ORPHANS = """
SELECT FROM backtests_events
WHERE run_id = %s AND parent_event_id IS NOT NULL AND root_number = number LIMIT 1
"""

COMPONENTS = """
SELECT event_id::text, parent_event_id::text, number, event_type, (extract(epoch FROM occurred_at) * 1000000)::bigint,
       root_number, trail
FROM backtests_events WHERE run_id = %(run)s AND root_number = ANY(%(roots)s) AND root_number <> number
UNION ALL
SELECT event_id::text, parent_event_id::text, number, event_type, (extract(epoch FROM occurred_at) * 1000000)::bigint,
       root_number, trail
FROM backtests_events WHERE run_id = %(run)s AND number = ANY(%(roots)s)
"""

TRAILS = """
SELECT root_number, array_agg(DISTINCT trail)
FROM backtests_events WHERE run_id = %(run)s AND root_number = ANY(%(roots)s) AND root_number <> number
GROUP BY root_number
"""

ROOTS = """
SELECT number, trail, (extract(epoch FROM occurred_at) * 1000000)::bigint
FROM backtests_events WHERE run_id = %(run)s AND number = ANY(%(roots)s)
"""

RELINK = """
UPDATE backtests_events AS e SET root_number = n.root, trail = n.trail
FROM unnest(%s::integer[], %s::integer[], %s::text[]) AS n (number, root, trail)
WHERE e.run_id = %s AND e.number = n.number
"""

CIRCLE = """
UPDATE backtests_events SET validation_errors = (coalesce(validation_errors::jsonb, '[]') || %s::jsonb)::json
WHERE run_id = %s AND number = %s
RETURNING validation_errors::text
"""

COPY_EVENTS = """
COPY {table} (run_id, number, event_id, occurred_at, event_type, severity, category, parent_event_id,
              root_number, trail, properties, validation_errors) FROM STDIN (FORMAT BINARY)
"""

NEW_LISTS = """
CREATE TEMPORARY TABLE IF NOT EXISTS backtests_new_lists (
  list text COLLATE "C", first_moment bigint, events integer[], moments bigint[], numbers text
) ON COMMIT DELETE ROWS;
ALTER TABLE backtests_new_lists ALTER events SET STORAGE EXTERNAL, ALTER moments SET STORAGE EXTERNAL,
  ALTER numbers SET STORAGE EXTERNAL;
CREATE TEMPORARY TABLE IF NOT EXISTS backtests_removed (
  list text COLLATE "C", event integer, moment bigint
) ON COMMIT DELETE ROWS
"""

# The last part of both statements that write lists: `cut` has their chunks.
_WRITE_CHUNKS = """\
INSERT INTO {lists} (run_id, list, chunk, first_moment, last_moment, size, total, squares, lowest, highest,
                     events, moments, numbers, shapes, packed)
SELECT %(run)s, c.list, c.chunk, c.moments[1], c.moments[cardinality(c.moments)], cardinality(c.events),
       s.total, s.squares, s.lowest, s.highest, c.events, c.moments,
       CASE WHEN c.list <> 'q' THEN c.numbers END, CASE WHEN c.list = 'q' THEN c.numbers::integer[] END,
       CASE WHEN c.list = 'q' THEN
         (SELECT string_agg(int4send(u.shape::integer), ''::bytea ORDER BY u.place)
          FROM unnest(c.numbers) WITH ORDINALITY AS u (shape, place)) END
FROM cut AS c
LEFT JOIN LATERAL (
  SELECT sum(x) AS total, sum(x * x) AS squares, min(x) AS lowest, max(x) AS highest FROM unnest(c.numbers) AS x
) AS s ON c.numbers IS NOT NULL AND c.list <> 'q'
"""

# Lists with an insertion before their end, or with a removal: everything behind it is taken out, sorted together with
# the new members, and written in chunks. Only lists of roots and errors can gain old numbers.
REORDER = """
WITH touched AS (
  SELECT list, min(moment) AS moment FROM (
    SELECT list, first_moment AS moment FROM backtests_new_lists
    UNION ALL SELECT list, moment FROM backtests_removed
  ) AS both_kinds GROUP BY list
), late AS (
  SELECT row_number() OVER ()::integer AS id, t.list, coalesce(place.chunk, 0) AS chunk
  FROM touched AS t
  CROSS JOIN LATERAL (
    SELECT last_moment FROM {lists} WHERE run_id = %(run)s AND list = t.list ORDER BY chunk DESC LIMIT 1
  ) AS tail
  LEFT JOIN LATERAL (
    SELECT chunk FROM {lists} WHERE run_id = %(run)s AND list = t.list AND chunk > 0 AND first_moment < t.moment
    ORDER BY first_moment DESC, chunk DESC LIMIT 1
  ) AS place ON true
  WHERE tail.last_moment > t.moment OR (tail.last_moment = t.moment AND left(t.list, 1) IN ('q', 'v'))
), gone AS (
  DELETE FROM {lists} AS l USING late
  WHERE l.run_id = %(run)s AND l.list = late.list AND l.chunk >= late.chunk
  RETURNING late.id, l.list, l.events, l.moments, coalesce(l.numbers, l.shapes::numeric[]) AS numbers
), fresh AS (
  DELETE FROM backtests_new_lists AS n USING late WHERE n.list = late.list
  RETURNING late.id, n.list, n.events, n.moments, n.numbers::numeric[] AS numbers
), elements AS (
  SELECT a.id, u.event, u.moment, u.number
  FROM (SELECT * FROM gone WHERE left(list, 1) <> 'q' UNION ALL SELECT * FROM fresh) AS a,
       unnest(a.events, a.moments, a.numbers) AS u (event, moment, number)
  UNION ALL
  SELECT a.id, u.event, u.moment, u.number
  FROM gone AS a, unnest(a.events, a.moments, a.numbers) AS u (event, moment, number)
  WHERE left(a.list, 1) = 'q'
    AND NOT EXISTS (SELECT FROM backtests_removed AS r WHERE r.list = a.list AND r.event = u.event)
), merged AS MATERIALIZED (
  SELECT id, array_agg(event ORDER BY moment, event) AS events, array_agg(moment ORDER BY moment, event) AS moments,
         array_agg(number ORDER BY moment, event) AS numbers
  FROM elements GROUP BY id
), cut AS (
  SELECT late.list, late.chunk + part AS chunk,
         m.events[part * 1024 + 1 : part * 1024 + 1024] AS events,
         m.moments[part * 1024 + 1 : part * 1024 + 1024] AS moments,
         CASE WHEN left(late.list, 1) = 'n' OR late.list = 'q'
           THEN m.numbers[part * 1024 + 1 : part * 1024 + 1024] END AS numbers
  FROM merged AS m JOIN late USING (id), generate_series(0, (cardinality(m.events) - 1) / 1024) AS part
)
WRITE_CHUNKS""".replace("WRITE_CHUNKS", _WRITE_CHUNKS)

# Late events have millions of members of lists sorted, which would go to disk and back.
SORT_IN_MEMORY = "SET LOCAL work_mem = '128MB'"

# New members are appended to each list; its last chunk is filled first if it is not full.
APPEND = """
WITH tails AS MATERIALIZED (
  SELECT n.list, tail.chunk, tail.size
  FROM backtests_new_lists AS n
  CROSS JOIN LATERAL (
    SELECT chunk, size FROM {lists} WHERE run_id = %(run)s AND list = n.list ORDER BY chunk DESC LIMIT 1
  ) AS tail
), opened AS (
  DELETE FROM {lists} AS l USING tails AS t
  WHERE l.run_id = %(run)s AND l.list = t.list AND l.chunk = t.chunk AND t.size < 1024
  RETURNING l.list, l.chunk, l.events, l.moments, coalesce(l.numbers, l.shapes::numeric[]) AS numbers
), filled AS MATERIALIZED (
  SELECT n.list,
         CASE WHEN o.chunk IS NOT NULL THEN o.chunk ELSE coalesce(t.chunk + 1, 0) END AS first_chunk,
         coalesce(o.events, '{{}}') || n.events AS events,
         coalesce(o.moments, '{{}}') || n.moments AS moments,
         CASE WHEN n.numbers IS NOT NULL THEN coalesce(o.numbers, '{{}}') || n.numbers::numeric[] END AS numbers
  FROM backtests_new_lists AS n LEFT JOIN tails AS t USING (list) LEFT JOIN opened AS o USING (list)
), cut AS (
  SELECT f.list, f.first_chunk + part AS chunk,
         f.events[part * 1024 + 1 : part * 1024 + 1024] AS events,
         f.moments[part * 1024 + 1 : part * 1024 + 1024] AS moments,
         f.numbers[part * 1024 + 1 : part * 1024 + 1024] AS numbers
  FROM filled AS f, generate_series(0, (cardinality(f.events) - 1) / 1024) AS part
)
WRITE_CHUNKS""".replace("WRITE_CHUNKS", _WRITE_CHUNKS)

# Steps are found by the hash of their order's id, which their key begins with.
KNOWN_ORDERS = """
SELECT u.order_id FROM unnest(%s::text[]) AS u (order_id)
CROSS JOIN LATERAL (
  SELECT FROM {orders} AS o
  WHERE o.run_id = %s AND hashtext(o.order_id) = hashtext(u.order_id) AND o.order_id = u.order_id AND o.number < %s
  LIMIT 1
) AS known
"""

# Steps of orders from the last one before their first new step on; only the end of that row changes.
STEPS = """
SELECT s.order_id, s.moment, s.number, s.kind, s.says_open, s.amount, s.symbol, s.is_open, s.is_rejected,
       s.state_number, s.quantity, s.executed, s.until,
       coalesce((s.moment, s.number) = (before.moment, before.number), false) AS is_traced
FROM unnest(%(orders)s::text[], %(moments)s::bigint[], %(numbers)s::integer[]) AS n (order_id, moment, number)
LEFT JOIN LATERAL (
  SELECT b.moment, b.number FROM {orders} AS b
  WHERE b.run_id = %(run)s AND hashtext(b.order_id) = hashtext(n.order_id) AND b.order_id = n.order_id
    AND (b.moment, b.number) < (n.moment, n.number)
  ORDER BY b.moment DESC, b.number DESC LIMIT 1
) AS before ON true
JOIN {orders} AS s ON s.run_id = %(run)s AND hashtext(s.order_id) = hashtext(n.order_id)
  AND s.order_id = n.order_id
  AND (s.moment, s.number) >= (coalesce(before.moment, n.moment), coalesce(before.number, n.number))
ORDER BY s.order_id, s.moment, s.number
"""

TRACED = """
UPDATE {orders} AS o SET until = n.until, is_open = n.is_open, symbol = n.symbol, says_open = n.says_open,
  is_rejected = n.is_rejected, quantity = n.quantity, executed = n.executed, state_number = n.state_number
FROM unnest(%s::text[], %s::bigint[], %s::integer[], %s::bigint[], %s::boolean[], %s::text[], %s::boolean[],
            %s::boolean[], %s::numeric[], %s::numeric[], %s::integer[])
  AS n (order_id, moment, number, until, is_open, symbol, says_open, is_rejected, quantity, executed, state_number)
WHERE o.run_id = %s AND hashtext(o.order_id) = hashtext(n.order_id) AND o.order_id = n.order_id
  AND o.moment = n.moment AND o.number = n.number
"""

QUARANTINE = """
INSERT INTO backtests_quarantine (run_id, digest, line_number, line, line_bytes, reason, stored_at)
VALUES (%s, %s, %s, %s, %s, %s, now()) ON CONFLICT DO NOTHING
"""

NEXT_SHAPE = "SELECT coalesce(max(shape), 7) + 1 FROM backtests_signatures WHERE run_id = %s"

KNOWN_SHAPES = "SELECT digest, shape FROM backtests_signatures WHERE run_id = %s AND digest = ANY(%s)"

ADD_SIGNATURES = """
INSERT INTO backtests_signatures (run_id, digest, shape, trails)
SELECT %s, u.digest, u.shape, u.trails::jsonb
FROM unnest(%s::text[], %s::integer[], %s::text[]) AS u (digest, shape, trails)
"""

SHAPES_OF_BLOCK = """
SELECT trails::text FROM backtests_signatures WHERE run_id = %s AND shape BETWEEN %s AND %s ORDER BY shape LIMIT %s
"""

WRITE_BLOCK = """
INSERT INTO backtests_signature_blocks (run_id, block, trail_count, codes, owners) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (run_id, block) DO UPDATE
SET trail_count = excluded.trail_count, codes = excluded.codes, owners = excluded.owners
"""

ADD_RUN = """
INSERT INTO backtests_runs (run_id, name, engine, config_hash, event_count, malformed_count, quarantined_count,
                            counts_by_type, counts_by_severity, symbols, details, stored_at)
VALUES (%s, '', '', '', 0, 0, 0, '{}', '{}', '[]', '{}', now()) ON CONFLICT DO NOTHING
RETURNING number, event_count, malformed_count, now()::text, counts_by_type::text, counts_by_severity::text,
          symbols::text, open_loads::text
"""

LOCK_RUN = """
SELECT number, event_count, malformed_count, now()::text, counts_by_type::text, counts_by_severity::text,
       symbols::text, open_loads::text
FROM backtests_runs WHERE run_id = %s FOR UPDATE
"""

SOURCE = "SELECT source_bytes, source_sha256 FROM backtests_runs WHERE run_id = %s LIMIT 1"

DELETE_EMPTY_RUN = "DELETE FROM backtests_runs WHERE run_id = %s AND event_count = 0"

PLACE = "SELECT number, event_count FROM backtests_runs WHERE run_id = %s"

COUNT = """
UPDATE backtests_runs SET
  event_count = %(event_count)s,
  malformed_count = %(malformed_count)s,
  counts_by_type = %(counts_by_type)s,
  counts_by_severity = %(counts_by_severity)s,
  symbols = %(symbols)s,
  first_event_at = least(first_event_at, %(first)s),
  last_event_at = greatest(last_event_at, %(last)s),
  open_loads = %(open_loads)s
WHERE run_id = %(run)s
"""

WRITE_OPEN_LOADS = "UPDATE backtests_runs SET open_loads = %s WHERE run_id = %s"

# A load that ended before its log did.
BREAK_OFF_LOAD = """
UPDATE backtests_runs SET open_loads = jsonb_set(open_loads, ARRAY[%(load)s, 'is_over'], 'true')
WHERE run_id = %(run)s AND open_loads ? %(load)s
"""

UPDATE_FACTS = """
UPDATE backtests_runs SET
  name = coalesce(%(name)s, name),
  engine = coalesce(%(engine)s, engine),
  config_hash = coalesce(%(config_hash)s, config_hash),
  started_at = coalesce(%(started_at)s, started_at),
  ended_at = coalesce(%(ended_at)s, ended_at),
  sweep = coalesce(%(sweep)s, sweep),
  parameters = parameters || %(parameters)s,
  labels = CASE WHEN %(labels)s::jsonb = '[]' THEN labels ELSE %(labels)s::jsonb END,
  source_bytes = coalesce(%(source_bytes)s, source_bytes),
  source_sha256 = coalesce(%(source_sha256)s, source_sha256),
  details = details || %(details)s
WHERE run_id = %(run)s
"""

# Each batch rewrites the last chunk of its lists; later batches reuse the space of the old ones.
VACUUM_LISTS = "VACUUM (TRUNCATE false) backtests_lists_{number}"

# A sample of 3,000 rows instead of 30,000: every query uses an index, and the whole load waits for this.
ROUGHLY = "SET LOCAL default_statistics_target = 10"

ANALYSE = """
ANALYZE backtests_events_{number} (number, event_id, parent_event_id, root_number),
        backtests_lists_{number} (list, chunk, first_moment),
        backtests_order_states_{number}
"""
