-- Shapes of sequences are numbered within a run, and kept in blocks that a question judges at once.
--
-- A run has a list of roots for each shape (q:<shape>) as long as its shapes are few. Past 256 of them it has one list
-- of all roots (q), with the shape of each beside it. backtests/ingest/signatures.py says how a block is written.

-- `packed` are the same numbers, four bytes each, which are read many times faster than an array.
ALTER TABLE backtests_lists ADD COLUMN shapes integer[], ADD COLUMN packed bytea;
ALTER TABLE backtests_lists ALTER shapes SET STORAGE EXTERNAL, ALTER packed SET STORAGE EXTERNAL;

CREATE TABLE backtests_signature_blocks (
  run_id uuid NOT NULL,
  block integer NOT NULL,
  trail_count integer NOT NULL,
  codes bytea NOT NULL,
  owners bytea NOT NULL,
  PRIMARY KEY (run_id, block)
);
ALTER TABLE backtests_signature_blocks ALTER codes SET STORAGE EXTERNAL, ALTER owners SET STORAGE EXTERNAL;

ALTER TABLE backtests_signatures ADD COLUMN shape integer;

-- Events without parent or child have the number of their type's code in every run, and need no row.
WITH numbered AS (
  SELECT id, CASE WHEN trails::text ~ '^\["[0-7]"\]$' THEN substr(trails::text, 3, 1)::integer
                  ELSE 7 + row_number() OVER (PARTITION BY run_id, trails::text ~ '^\["[0-7]"\]$' ORDER BY id) END
              AS shape
  FROM backtests_signatures
)
UPDATE backtests_signatures AS s SET shape = n.shape FROM numbered AS n WHERE n.id = s.id;

UPDATE backtests_lists AS l SET list = 'q:' || s.shape
FROM backtests_signatures AS s WHERE s.run_id = l.run_id AND l.list = 'q:' || s.digest;

DELETE FROM backtests_signatures WHERE shape < 8;
ALTER TABLE backtests_signatures ADD CONSTRAINT backtests_signatures_shape UNIQUE (run_id, shape);

-- Put the roots of a run into one list, whatever their shape.
CREATE FUNCTION backtests_join_roots(of_run uuid) RETURNS void LANGUAGE sql AS $$
  WITH gone AS (
    DELETE FROM backtests_lists WHERE run_id = of_run AND list >= 'q:' AND list < 'q;'
    RETURNING substr(list, 3)::integer AS shape, events, moments
  ), ordered AS (
    SELECT g.shape, u.event, u.moment, row_number() OVER (ORDER BY u.moment, u.event) - 1 AS ordinal
    FROM gone AS g, unnest(g.events, g.moments) AS u (event, moment)
  )
  INSERT INTO backtests_lists (run_id, list, chunk, first_moment, last_moment, size, events, moments, shapes, packed)
  SELECT of_run, 'q', ordinal / 1024, min(moment), max(moment), count(*), array_agg(event ORDER BY ordinal),
         array_agg(moment ORDER BY ordinal), array_agg(shape ORDER BY ordinal),
         string_agg(int4send(shape), ''::bytea ORDER BY ordinal)
  FROM ordered GROUP BY ordinal / 1024
$$;

SELECT backtests_join_roots(run_id) FROM backtests_signatures GROUP BY run_id HAVING count(*) > 256;

CREATE OR REPLACE FUNCTION backtests_drop_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DROP TABLE IF EXISTS backtests_events_%1$s, backtests_lists_%1$s, backtests_order_states_%1$s',
                 OLD.number);
  DELETE FROM backtests_quarantine WHERE run_id = OLD.run_id;
  DELETE FROM backtests_signatures WHERE run_id = OLD.run_id;
  DELETE FROM backtests_signature_blocks WHERE run_id = OLD.run_id;
  RETURN OLD;
END $$;
