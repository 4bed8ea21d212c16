-- The partitioned part of the store: one partition of each table a run.
--
-- An event is written once. Its number counts the run's arrivals, so (occurred_at, number) is the order of time then
-- arrival. Lists hold event numbers in that order, 1,024 to a chunk, every chunk but a list's last one full:
-- an ordinal is found by arithmetic, a moment by one probe and a binary search (backtests_rank). Names of lists:
--
--   t:<type>              events of a type               s:<type>:<severity>   of a type and severity
--   e:<entity>:<value>    OrderId and PositionId, all types together
--   e:<entity>:<value>:<type>   SecuritySymbol and IndicatorName, by type
--   p:<symbol>            positions                      l                     PnL
--   i:<length>:<name>:<symbol>   values of an indicator
--   v, v:Error, v:Warning with validation errors         q:<digest>            roots of sequences of one shape
--   n:<type>:<path>       events whose property at the path is a number, with the numbers and their sums

CREATE TABLE backtests_events (
  run_id uuid NOT NULL,
  number integer NOT NULL,
  event_id uuid NOT NULL,
  occurred_at timestamptz NOT NULL,
  event_type smallint NOT NULL,
  severity smallint NOT NULL,
  category smallint NOT NULL,
  parent_event_id uuid,
  root_number integer NOT NULL,
  trail text NOT NULL,
  properties json NOT NULL,
  validation_errors json,
  PRIMARY KEY (run_id, number)
) PARTITION BY LIST (run_id);

CREATE UNIQUE INDEX backtests_events_id ON backtests_events (run_id, event_id);
CREATE INDEX backtests_events_root ON backtests_events (root_number, number) WHERE root_number <> number;
CREATE INDEX backtests_events_orphan ON backtests_events (parent_event_id)
  WHERE parent_event_id IS NOT NULL AND root_number = number;

CREATE TABLE backtests_lists (
  run_id uuid NOT NULL,
  list text COLLATE "C" NOT NULL,
  chunk integer NOT NULL,
  first_moment bigint NOT NULL,
  last_moment bigint NOT NULL,
  size integer NOT NULL,
  total numeric,
  squares numeric,
  lowest numeric,
  highest numeric,
  events integer[] NOT NULL,
  moments bigint[] NOT NULL,
  numbers numeric[],
  PRIMARY KEY (run_id, list, chunk)
) PARTITION BY LIST (run_id);

-- Not compressed: a chunk is read far more often than it is written, and numbers in order of time hardly shrink.
ALTER TABLE backtests_lists ALTER events SET STORAGE EXTERNAL, ALTER moments SET STORAGE EXTERNAL,
  ALTER numbers SET STORAGE EXTERNAL;

CREATE INDEX backtests_lists_moment ON backtests_lists (list, first_moment, chunk) WHERE chunk > 0;

CREATE TABLE backtests_order_states (
  run_id uuid NOT NULL,
  order_id text NOT NULL,
  moment bigint NOT NULL,
  number integer NOT NULL,
  until bigint,
  is_open boolean NOT NULL,
  symbol text,
  PRIMARY KEY (run_id, order_id, moment, number)
) PARTITION BY LIST (run_id);

CREATE INDEX backtests_order_states_open ON backtests_order_states USING gist (int8range(moment, until)) WHERE is_open;

-- How many of a list's events are at or before a moment.
CREATE FUNCTION backtests_rank(of_run uuid, of_list text, at_moment bigint) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(
    (SELECT c.chunk * 1024 + width_bucket(at_moment, c.moments)
     FROM backtests_lists AS c
     WHERE c.run_id = of_run AND c.list = of_list AND c.chunk > 0 AND c.first_moment <= at_moment
     ORDER BY c.first_moment DESC, c.chunk DESC LIMIT 1),
    (SELECT width_bucket(at_moment, c.moments)
     FROM backtests_lists AS c WHERE c.run_id = of_run AND c.list = of_list AND c.chunk = 0),
    0)::bigint
$$;

-- How many events a list has.
CREATE FUNCTION backtests_size(of_run uuid, of_list text) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce((SELECT c.chunk * 1024 + c.size FROM backtests_lists AS c
                   WHERE c.run_id = of_run AND c.list = of_list ORDER BY c.chunk DESC LIMIT 1), 0)::bigint
$$;

-- The last event of a list at or before a moment.
CREATE FUNCTION backtests_latest(of_run uuid, of_list text, at_moment bigint) RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(
    (SELECT c.events[width_bucket(at_moment, c.moments)]
     FROM backtests_lists AS c
     WHERE c.run_id = of_run AND c.list = of_list AND c.chunk > 0 AND c.first_moment <= at_moment
     ORDER BY c.first_moment DESC, c.chunk DESC LIMIT 1),
    (SELECT c.events[width_bucket(at_moment, c.moments)]
     FROM backtests_lists AS c
     WHERE c.run_id = of_run AND c.list = of_list AND c.chunk = 0 AND c.first_moment <= at_moment))
$$;

CREATE FUNCTION backtests_add_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  part text;
BEGIN
  FOREACH part IN ARRAY ARRAY['events', 'lists', 'order_states'] LOOP
    EXECUTE format('CREATE TABLE backtests_%s_%s (LIKE backtests_%s INCLUDING DEFAULTS INCLUDING STORAGE)', part, NEW.number, part);
    EXECUTE format('ALTER TABLE backtests_%s ATTACH PARTITION backtests_%s_%s FOR VALUES IN (%L)',
                   part, part, NEW.number, NEW.run_id);
  END LOOP;
  RETURN NEW;
END $$;

CREATE FUNCTION backtests_drop_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DROP TABLE IF EXISTS backtests_events_%1$s, backtests_lists_%1$s, backtests_order_states_%1$s',
                 OLD.number);
  DELETE FROM backtests_quarantine WHERE run_id = OLD.run_id;
  DELETE FROM backtests_signatures WHERE run_id = OLD.run_id;
  RETURN OLD;
END $$;

CREATE TRIGGER backtests_runs_added AFTER INSERT ON backtests_runs
  FOR EACH ROW EXECUTE FUNCTION backtests_add_run();
CREATE TRIGGER backtests_runs_deleted BEFORE DELETE ON backtests_runs
  FOR EACH ROW EXECUTE FUNCTION backtests_drop_run();
