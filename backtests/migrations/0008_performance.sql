-- What a run came to, built from its events by backtests/performance/build.py.
--
-- Plain tables, not partitions: they are few rows a run, and runs are compared over all of them. Times in `packed`
-- columns are little-endian: days as int4 since 1970-01-01, profits and what is held as float8, a trail as records of
-- int8 (moment), int8 (fingerprint), int4 (number of the event).

CREATE TABLE backtests_round_trips (
  run_id uuid NOT NULL,
  trip integer NOT NULL,
  symbol text NOT NULL,
  position text NOT NULL,
  side smallint NOT NULL,
  currency text NOT NULL,
  quantity numeric NOT NULL,
  entry_at timestamptz NOT NULL,
  entry_number integer NOT NULL,
  entry_price numeric NOT NULL,
  exit_at timestamptz,
  exit_number integer,
  exit_price numeric,
  exit_reason text,
  executions integer NOT NULL,
  traded numeric NOT NULL,
  profit numeric NOT NULL,
  commission numeric NOT NULL,
  commission_currency text NOT NULL,
  net_profit numeric NOT NULL,
  favorable numeric NOT NULL,
  adverse numeric NOT NULL,
  holding_seconds numeric NOT NULL,
  PRIMARY KEY (run_id, trip)
);

CREATE TABLE backtests_performance (
  run_id uuid NOT NULL,
  currency text NOT NULL,
  is_main boolean NOT NULL,
  version smallint NOT NULL,
  event_count bigint NOT NULL,
  source text NOT NULL,
  capital numeric,
  total_profit numeric NOT NULL,
  days bytea NOT NULL,
  profits bytea NOT NULL,
  held bytea NOT NULL,
  time_held bigint NOT NULL,
  time_span bigint NOT NULL,
  traded numeric NOT NULL,
  executions_left_out integer NOT NULL,
  measures json NOT NULL,
  PRIMARY KEY (run_id, currency)
);
ALTER TABLE backtests_performance ALTER days SET STORAGE EXTERNAL, ALTER profits SET STORAGE EXTERNAL,
  ALTER held SET STORAGE EXTERNAL;

CREATE TABLE backtests_decisions (
  run_id uuid PRIMARY KEY,
  decision_count integer NOT NULL,
  trail bytea NOT NULL
);
ALTER TABLE backtests_decisions ALTER trail SET STORAGE EXTERNAL;

CREATE OR REPLACE FUNCTION backtests_drop_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DROP TABLE IF EXISTS backtests_events_%1$s, backtests_lists_%1$s, backtests_order_states_%1$s',
                 OLD.number);
  DELETE FROM backtests_quarantine WHERE run_id = OLD.run_id;
  DELETE FROM backtests_signatures WHERE run_id = OLD.run_id;
  DELETE FROM backtests_signature_blocks WHERE run_id = OLD.run_id;
  DELETE FROM backtests_round_trips WHERE run_id = OLD.run_id;
  DELETE FROM backtests_performance WHERE run_id = OLD.run_id;
  DELETE FROM backtests_decisions WHERE run_id = OLD.run_id;
  RETURN OLD;
END $$;
