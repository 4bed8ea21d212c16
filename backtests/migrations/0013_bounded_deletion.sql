-- A deletion of runs that cannot lock the tables in time fails instead of waiting for ever, behind a dump for example.
-- The setting runs.deletion_seconds changes the time.

CREATE OR REPLACE FUNCTION backtests_drop_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  usual text := current_setting('lock_timeout');
  deadline timestamptz := clock_timestamp()
    + make_interval(secs => coalesce(nullif(current_setting('runs.deletion_seconds', true), ''), '60')::float8);
  part text;
BEGIN
  LOOP
    BEGIN
      PERFORM set_config('lock_timeout', '100ms', true);
      LOCK TABLE ONLY backtests_events, ONLY backtests_lists, ONLY backtests_order_states IN ACCESS EXCLUSIVE MODE;
      EXIT;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      IF clock_timestamp() > deadline THEN
        RAISE EXCEPTION 'Other work has used the tables of the runs for too long: nothing is deleted.'
          USING ERRCODE = 'lock_not_available', HINT = 'Delete again when loads, dumps and long queries have ended.';
      END IF;
      PERFORM pg_sleep(0.05);
    END;
  END LOOP;
  PERFORM set_config('lock_timeout', usual, true);
  EXECUTE format('DROP TABLE IF EXISTS backtests_events_%1$s, backtests_lists_%1$s, backtests_order_states_%1$s',
                 OLD.number);
  FOREACH part IN ARRAY ARRAY['quarantine', 'signatures', 'signature_blocks', 'round_trips', 'performance', 'decisions']
  LOOP
    EXECUTE format('DELETE FROM backtests_%s WHERE run_id = $1', part) USING OLD.run_id;
  END LOOP;
  RETURN OLD;
END $$;
