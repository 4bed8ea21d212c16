-- A call that writes leaves its row before it begins, with the outcome `unknown`. It is counted when it has ended, so an
-- insert counts what has ended, and an update what ends by it.
CREATE OR REPLACE FUNCTION toolbox_count_calls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO toolbox_call_counts AS kept (grain, began_at, domain, tool, outcome, code, bucket, calls, milliseconds)
    SELECT slot.grain, slot.began_at, CASE WHEN is_known THEN domain ELSE '' END, CASE WHEN is_known THEN tool ELSE '' END,
           outcome, code, toolbox_bucket(milliseconds), count(*), sum(milliseconds)
    FROM stored CROSS JOIN LATERAL (
        VALUES ('hour', date_trunc('hour', called_at, 'UTC')), ('day', date_trunc('day', called_at, 'UTC')),
               ('all', '1970-01-01T00:00:00Z'::timestamptz)
    ) AS slot (grain, began_at)
    WHERE outcome <> 'unknown'
    GROUP BY 1, 2, 3, 4, 5, 6, 7
    ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT (grain, began_at, domain, tool, outcome, code, bucket)
    DO UPDATE SET calls = kept.calls + excluded.calls, milliseconds = kept.milliseconds + excluded.milliseconds;
    RETURN NULL;
END
$$;

CREATE FUNCTION toolbox_count_ended_calls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO toolbox_call_counts AS kept (grain, began_at, domain, tool, outcome, code, bucket, calls, milliseconds)
    SELECT slot.grain, slot.began_at, CASE WHEN is_known THEN domain ELSE '' END, CASE WHEN is_known THEN tool ELSE '' END,
           outcome, code, toolbox_bucket(milliseconds), count(*), sum(milliseconds)
    FROM (
        SELECT stored.* FROM stored JOIN before ON before.id = stored.id WHERE before.outcome = 'unknown'
    ) AS ended CROSS JOIN LATERAL (
        VALUES ('hour', date_trunc('hour', called_at, 'UTC')), ('day', date_trunc('day', called_at, 'UTC')),
               ('all', '1970-01-01T00:00:00Z'::timestamptz)
    ) AS slot (grain, began_at)
    WHERE outcome <> 'unknown'
    GROUP BY 1, 2, 3, 4, 5, 6, 7
    ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT (grain, began_at, domain, tool, outcome, code, bucket)
    DO UPDATE SET calls = kept.calls + excluded.calls, milliseconds = kept.milliseconds + excluded.milliseconds;
    RETURN NULL;
END
$$;

CREATE TRIGGER toolbox_tool_calls_ended AFTER UPDATE ON toolbox_tool_calls
REFERENCING OLD TABLE AS before NEW TABLE AS stored FOR EACH STATEMENT EXECUTE FUNCTION toolbox_count_ended_calls();
