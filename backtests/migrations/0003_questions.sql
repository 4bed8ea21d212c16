-- One page of the events of lists taken together, in order of time then arrival, and how many there are in all.
--
-- One list: arithmetic. Several: among the starts of their chunks the last one is taken that is certainly not behind
-- the page; from there on at most a chunk or two of each list is merged. NULL moments mean no bound.
CREATE FUNCTION backtests_page(
  of_run uuid, of_lists text[], from_moment bigint, to_moment bigint, skip bigint, take integer,
  OUT total bigint, OUT events integer[]
) LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  lists text[];
  starts bigint[];
  ends bigint[];
  cut bigint;
  passed bigint;
BEGIN
  SELECT coalesce(sum(b.high - b.low), 0), array_agg(b.list), array_agg(b.low), array_agg(b.high)
  INTO total, lists, starts, ends
  FROM (
    SELECT l.list,
           CASE WHEN from_moment IS NULL THEN 0 ELSE backtests_rank(of_run, l.list, from_moment - 1) END AS low,
           CASE WHEN to_moment IS NULL THEN backtests_size(of_run, l.list)
                ELSE backtests_rank(of_run, l.list, to_moment) END AS high
    FROM unnest(of_lists) AS l (list)
  ) AS b
  WHERE b.high > b.low;
  IF skip >= total THEN
    RETURN;
  END IF;
  IF cardinality(lists) > 1 AND skip > 0 THEN
    SELECT c.first_moment INTO cut FROM (
      SELECT d.first_moment,
             sum(d.size) OVER (ORDER BY d.first_moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM backtests_lists AS d WHERE d.run_id = of_run AND d.list = ANY (lists)
    ) AS c
    WHERE c.before - (SELECT sum(s) FROM unnest(starts) AS s) <= skip
    ORDER BY c.first_moment DESC LIMIT 1;
    IF cut IS NOT NULL THEN
      SELECT array_agg(b.low ORDER BY b.place), sum(b.low - b.start) INTO starts, passed
      FROM (
        SELECT u.place, u.start, greatest(u.start, backtests_rank(of_run, u.list, cut - 1)) AS low
        FROM unnest(lists, starts) WITH ORDINALITY AS u (list, start, place)
      ) AS b;
      skip := skip - passed;
    END IF;
  ELSIF cardinality(lists) = 1 THEN
    starts := ARRAY[starts[1] + skip];
    skip := 0;
  END IF;
  SELECT array_agg(m.event ORDER BY m.moment, m.event) INTO events FROM (
    SELECT e.event, e.moment
    FROM unnest(lists, starts, ends) AS u (list, low, high)
    JOIN backtests_lists AS c ON c.run_id = of_run AND c.list = u.list
      AND c.chunk BETWEEN u.low / 1024 AND (least(u.high, u.low + skip + take) - 1) / 1024
    CROSS JOIN LATERAL unnest(
      c.events[greatest(u.low - c.chunk * 1024, 0) + 1 : least(u.high, u.low + skip + take) - c.chunk * 1024],
      c.moments[greatest(u.low - c.chunk * 1024, 0) + 1 : least(u.high, u.low + skip + take) - c.chunk * 1024]
    ) AS e (event, moment)
    WHERE u.low < u.high
    ORDER BY e.moment, e.event OFFSET skip LIMIT take
  ) AS m;
END $$;

-- Statistics of a list of numbers: chunks that lie whole in the range by their sums, the two at its edges number by
-- number. Exact: sums and squares are numerics, so nothing cancels.
CREATE FUNCTION backtests_statistics(
  of_run uuid, of_list text, from_moment bigint, to_moment bigint,
  OUT amount bigint, OUT total numeric, OUT squares numeric, OUT lowest numeric, OUT highest numeric
) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH range AS MATERIALIZED (
    SELECT CASE WHEN from_moment IS NULL THEN 0 ELSE backtests_rank(of_run, of_list, from_moment - 1) END AS low,
           CASE WHEN to_moment IS NULL THEN backtests_size(of_run, of_list)
                ELSE backtests_rank(of_run, of_list, to_moment) END AS high
  ), parts AS (
    SELECT c.size AS amount, c.total, c.squares, c.lowest, c.highest
    FROM backtests_lists AS c, range AS r
    WHERE c.run_id = of_run AND c.list = of_list
      AND c.chunk * 1024::bigint >= r.low AND c.chunk * 1024::bigint + c.size <= r.high
    UNION ALL
    SELECT count(x), sum(x), sum(x * x), min(x), max(x)
    FROM range AS r
    JOIN backtests_lists AS c ON c.run_id = of_run AND c.list = of_list
      AND c.chunk IN ((r.low / 1024)::integer, ((r.high - 1) / 1024)::integer)
      AND NOT (c.chunk * 1024::bigint >= r.low AND c.chunk * 1024::bigint + c.size <= r.high)
    CROSS JOIN LATERAL unnest(
      c.numbers[greatest(r.low - c.chunk * 1024, 0) + 1 : least(r.high - c.chunk * 1024, 1024)]
    ) AS x
    WHERE r.high > r.low
  )
  SELECT coalesce(sum(amount), 0)::bigint, sum(total), sum(squares), min(lowest), max(highest) FROM parts
$$;
