-- Counts calls as they are recorded: each statement that stores calls (COPY of up to 200) adds to the hours,
-- and to the days, and to all time, which began in 1970. The order keeps two writers from waiting for each other.
ALTER TABLE toolbox_call_counts SET (fillfactor = 70);

CREATE FUNCTION toolbox_bucket(milliseconds double precision) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT width_bucket(milliseconds, ARRAY[
        1, 2, 3, 4, 5, 7.5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1000, 2000, 5000, 10000, 30000
    ]::double precision[])::smallint
$$;

CREATE FUNCTION toolbox_count_calls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO toolbox_call_counts AS kept (grain, began_at, domain, tool, outcome, code, bucket, calls, milliseconds)
    SELECT slot.grain, slot.began_at, CASE WHEN is_known THEN domain ELSE '' END, CASE WHEN is_known THEN tool ELSE '' END,
           outcome, code, toolbox_bucket(milliseconds), count(*), sum(milliseconds)
    FROM stored CROSS JOIN LATERAL (
        VALUES ('hour', date_trunc('hour', called_at, 'UTC')), ('day', date_trunc('day', called_at, 'UTC')),
               ('all', '1970-01-01T00:00:00Z'::timestamptz)
    ) AS slot (grain, began_at)
    GROUP BY 1, 2, 3, 4, 5, 6, 7
    ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT (grain, began_at, domain, tool, outcome, code, bucket)
    DO UPDATE SET calls = kept.calls + excluded.calls, milliseconds = kept.milliseconds + excluded.milliseconds;
    RETURN NULL;
END
$$;

CREATE TRIGGER toolbox_tool_calls_counted AFTER INSERT ON toolbox_tool_calls
REFERENCING NEW TABLE AS stored FOR EACH STATEMENT EXECUTE FUNCTION toolbox_count_calls();

-- What was recorded before this migration; its unknown names cannot be told apart any more, but for these two codes.
INSERT INTO toolbox_call_counts (grain, began_at, domain, tool, outcome, code, bucket, calls, milliseconds)
SELECT slot.grain, slot.began_at, CASE WHEN known THEN domain ELSE '' END, CASE WHEN known THEN tool ELSE '' END,
       outcome, code, toolbox_bucket(milliseconds), count(*), sum(milliseconds)
FROM (SELECT *, code NOT IN ('UNKNOWN_TOOL', 'UNAUTHENTICATED') AS known FROM toolbox_tool_calls) AS recorded
CROSS JOIN LATERAL (
    VALUES ('hour', date_trunc('hour', called_at, 'UTC')), ('day', date_trunc('day', called_at, 'UTC')),
               ('all', '1970-01-01T00:00:00Z'::timestamptz)
) AS slot (grain, began_at)
GROUP BY 1, 2, 3, 4, 5, 6, 7;
