-- Deleting runs waits for others without blocking them, and cannot deadlock with them.
--
-- Dropping a partition locks its parent against all other work. A statement or transaction that has read one parent and
-- wants another, in any order, would deadlock with a deletion that holds the other one. So the three parents are locked
-- together within 100 ms, which is less than deadlock_timeout, or all are released again. While a load holds a parent
-- for longer, other queries of it run between the attempts instead of waiting behind the deletion.
--
-- The trigger fires after the statement has deleted, and so locked, all its runs: a load holds the row of its run and
-- then wants the parents.

CREATE OR REPLACE FUNCTION backtests_drop_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  usual text := current_setting('lock_timeout');
BEGIN
  LOOP
    BEGIN
      PERFORM set_config('lock_timeout', '100ms', true);
      LOCK TABLE ONLY backtests_events, ONLY backtests_lists, ONLY backtests_order_states IN ACCESS EXCLUSIVE MODE;
      EXIT;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      PERFORM pg_sleep(0.05);
    END;
  END LOOP;
  PERFORM set_config('lock_timeout', usual, true);
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

DROP TRIGGER backtests_runs_deleted ON backtests_runs;
CREATE TRIGGER backtests_runs_deleted AFTER DELETE ON backtests_runs
  FOR EACH ROW EXECUTE FUNCTION backtests_drop_run();
