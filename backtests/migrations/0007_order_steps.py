"""Orders are followed by their executions and rejections, not by their states alone."""

from django.db import migrations

SQL = """
ALTER TABLE backtests_order_states
  ADD COLUMN kind smallint NOT NULL DEFAULT 0, ADD COLUMN says_open boolean NOT NULL DEFAULT false,
  ADD COLUMN is_rejected boolean NOT NULL DEFAULT false, ADD COLUMN amount numeric, ADD COLUMN quantity numeric,
  ADD COLUMN executed numeric NOT NULL DEFAULT 0, ADD COLUMN state_number integer;
UPDATE backtests_order_states SET says_open = is_open, state_number = number;

-- Executions and rejections of runs that are stored.
INSERT INTO backtests_order_states (run_id, order_id, moment, number, is_open, kind, amount)
SELECT e.run_id, substr(l.list, 11), u.moment, e.number, false, e.event_type,
       CASE WHEN e.event_type = 1 AND json_typeof(e.properties -> 'Quantity') = 'number'
            THEN (e.properties ->> 'Quantity')::numeric END
FROM backtests_lists AS l
CROSS JOIN LATERAL unnest(l.events, l.moments) AS u (number, moment)
JOIN backtests_events AS e ON e.run_id = l.run_id AND e.number = u.number
WHERE l.list >= 'e:OrderId:' AND l.list < 'e:OrderId;' AND e.event_type IN (1, 2)
ON CONFLICT DO NOTHING;

UPDATE backtests_order_states AS o
SET amount = (e.properties -> 'StateAfter' ->> 'Quantity')::numeric
FROM backtests_events AS e
WHERE o.kind = 0 AND e.run_id = o.run_id AND e.number = o.number
  AND json_typeof(e.properties -> 'StateAfter' -> 'Quantity') = 'number';

-- How each order stands after each step: the last state before it, what was executed, whether it was rejected since.
WITH placed AS (
  SELECT run_id, order_id, moment, number, kind, amount, symbol, says_open,
         sum(CASE WHEN kind = 1 THEN abs(coalesce(amount, 0)) ELSE 0 END) OVER steps AS executed,
         count(*) FILTER (WHERE kind = 0) OVER steps AS states,
         count(*) FILTER (WHERE kind = 0 AND says_open) OVER steps AS openings,
         lead(moment) OVER steps AS until
  FROM backtests_order_states
  WINDOW steps AS (PARTITION BY run_id, order_id ORDER BY moment, number)
), stated AS (
  SELECT *, first_value(number) OVER states_of AS first_number, first_value(kind) OVER states_of = 0 AS has_state,
         first_value(amount) OVER states_of AS terms, first_value(symbol) OVER states_of AS named,
         first_value(says_open) OVER states_of AS said
  FROM placed
  WINDOW states_of AS (PARTITION BY run_id, order_id, states ORDER BY moment, number)
), rejected AS (
  SELECT *, count(*) FILTER (WHERE kind = 2) OVER (
           PARTITION BY run_id, order_id, openings ORDER BY moment, number) > 0 AS refused
  FROM stated
)
UPDATE backtests_order_states AS o
SET until = r.until, executed = r.executed, is_rejected = r.refused,
    says_open = r.has_state AND r.said,
    symbol = CASE WHEN r.has_state THEN r.named END,
    quantity = CASE WHEN r.has_state THEN r.terms END,
    state_number = CASE WHEN r.has_state THEN r.first_number END,
    is_open = r.has_state AND r.said AND NOT r.refused
              AND NOT coalesce(r.terms <> 0 AND r.executed >= abs(r.terms), false)
FROM rejected AS r
WHERE o.run_id = r.run_id AND o.order_id = r.order_id AND o.moment = r.moment AND o.number = r.number;
"""


class Migration(migrations.Migration):
    dependencies = [("backtests", "0006_sweeps")]

    operations = [migrations.RunSQL(SQL)]
