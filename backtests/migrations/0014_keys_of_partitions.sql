-- Each partition has its own unique keys. A partition holds one run, so its keys need not hold the run's 16 bytes again.
--
-- Steps of orders are found by a hash of the order's id, which is 36 characters long in most logs. An event is a step of
-- one order at most, so the key is unique although a hash is not.
--
-- A table that is spread over nodes needs the run in every unique key: `distribute_backtests` gives the parents the keys
-- that they had before. As long as they have them, partitions get none of their own.

CREATE OR REPLACE FUNCTION backtests_add_keys(of_number bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass('backtests_events_' || of_number) IS NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE UNIQUE INDEX IF NOT EXISTS backtests_events_%1$s_number ON backtests_events_%1$s (number)',
                 of_number);
  EXECUTE format('CREATE UNIQUE INDEX IF NOT EXISTS backtests_events_%1$s_id ON backtests_events_%1$s (event_id)',
                 of_number);
  EXECUTE format('CREATE UNIQUE INDEX IF NOT EXISTS backtests_lists_%1$s_chunk ON backtests_lists_%1$s (list, chunk)',
                 of_number);
  EXECUTE format('CREATE UNIQUE INDEX IF NOT EXISTS backtests_order_states_%1$s_step '
                 'ON backtests_order_states_%1$s (hashtext(order_id), moment, number)', of_number);
END $$;

CREATE OR REPLACE FUNCTION backtests_add_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  part text;
BEGIN
  FOREACH part IN ARRAY ARRAY['events', 'lists', 'order_states'] LOOP
    EXECUTE format('CREATE TABLE backtests_%s_%s (LIKE backtests_%s INCLUDING DEFAULTS INCLUDING STORAGE)', part, NEW.number, part);
    EXECUTE format('ALTER TABLE backtests_%s ATTACH PARTITION backtests_%s_%s FOR VALUES IN (%L)',
                   part, part, NEW.number, NEW.run_id);
  END LOOP;
  IF to_regclass('backtests_lists_pkey') IS NULL THEN
    PERFORM backtests_add_keys(NEW.number);
  END IF;
  RETURN NEW;
END $$;
