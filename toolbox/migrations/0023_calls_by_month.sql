-- Calls lie in partitions, one for each month (UTC), which are dropped whole when they are old enough. What was recorded
-- before this migration is the partition toolbox_tool_calls_before; a month that nobody prepared is in
-- toolbox_tool_calls_rest. The key is (id, called_at), because the key of a partitioned table holds what it is parted by;
-- ids are of one sequence and so differ all the same.

CREATE FUNCTION toolbox_list_call_months() RETURNS TABLE (name text, ends_at timestamptz) LANGUAGE sql STABLE AS $$
    SELECT relname::text, substring(pg_get_expr(relpartbound, pg_class.oid) FROM 'TO \(''(.*)''\)')::timestamptz
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'toolbox_tool_calls'::regclass AND pg_get_expr(relpartbound, pg_class.oid) <> 'DEFAULT'
    ORDER BY 2 LIMIT 10000
$$;

-- Make the partitions that are missing, up to so many months from now. A month of which the rest has rows stays there.
CREATE FUNCTION toolbox_make_call_months(ahead integer) RETURNS void LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
    first timestamp;
    last timestamp := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead);
    month timestamp;
    partition text;
BEGIN
    LOCK TABLE toolbox_tool_calls IN SHARE UPDATE EXCLUSIVE MODE;
    SELECT coalesce(max(ends_at) AT TIME ZONE 'UTC', date_trunc('month', now() AT TIME ZONE 'UTC'))
    INTO first FROM toolbox_list_call_months();
    FOR month IN SELECT generate_series(first, last, '1 month') LOOP
        partition := 'toolbox_tool_calls_' || to_char(month, 'YYYY_MM');
        BEGIN
            EXECUTE format('CREATE TABLE %I (LIKE toolbox_tool_calls INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition);
            EXECUTE format(
                'ALTER TABLE toolbox_tool_calls ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition,
                month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC'
            );
        EXCEPTION WHEN check_violation THEN
            RAISE NOTICE 'calls of % stay in toolbox_tool_calls_rest', to_char(month, 'YYYY-MM');
        END;
    END LOOP;
END
$$;

-- Drop the partitions whose last moment is before this one, and name them.
CREATE FUNCTION toolbox_drop_call_months(before timestamptz) RETURNS SETOF text
LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
    partition text;
BEGIN
    LOCK TABLE toolbox_tool_calls IN SHARE UPDATE EXCLUSIVE MODE;
    FOR partition IN SELECT name FROM toolbox_list_call_months() WHERE ends_at <= before LOOP
        EXECUTE format('DROP TABLE %I', partition);
        RETURN NEXT partition;
    END LOOP;
END
$$;

-- Make the table of before a partition of a new one that takes over its name, indexes, triggers, grants and sequence.
DO $$
DECLARE
    ends_at timestamptz := (
        SELECT substring(pg_get_constraintdef(oid) FROM '''(.*?)''')::timestamptz FROM pg_constraint
        WHERE conrelid = 'toolbox_tool_calls'::regclass AND conname = 'toolbox_tool_calls_before'
    );
    old record;
    definitions text[] := '{}';
    last_id bigint;
    is_used boolean;
BEGIN
    LOCK TABLE toolbox_tool_calls IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('SELECT last_value, is_called FROM %s', pg_get_serial_sequence('toolbox_tool_calls', 'id'))
    INTO last_id, is_used;
    ALTER TABLE toolbox_tool_calls ALTER COLUMN id DROP IDENTITY;
    DROP TRIGGER toolbox_tool_calls_counted ON toolbox_tool_calls;
    DROP TRIGGER toolbox_tool_calls_ended ON toolbox_tool_calls;
    FOR old IN
        SELECT conname AS name FROM pg_constraint WHERE conrelid = 'toolbox_tool_calls'::regclass AND contype = 'p'
    LOOP
        EXECUTE format('ALTER TABLE toolbox_tool_calls DROP CONSTRAINT %I', old.name);
    END LOOP;
    ALTER TABLE toolbox_tool_calls
    ADD CONSTRAINT toolbox_tool_calls_before_pkey PRIMARY KEY USING INDEX toolbox_tool_calls_before_pkey;
    FOR old IN
        SELECT relname AS name, pg_get_indexdef(indexrelid) AS definition, indisprimary
        FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE indrelid = 'toolbox_tool_calls'::regclass AND NOT indisprimary
    LOOP
        definitions := definitions || old.definition;
        EXECUTE format('ALTER INDEX %I RENAME TO %I', old.name, 'before_' || old.name);
    END LOOP;

    ALTER TABLE toolbox_tool_calls RENAME TO toolbox_tool_calls_before;
    CREATE TABLE toolbox_tool_calls (
        LIKE toolbox_tool_calls_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
        PRIMARY KEY (id, called_at)
    ) PARTITION BY RANGE (called_at);
    ALTER TABLE toolbox_tool_calls DROP CONSTRAINT toolbox_tool_calls_before;
    -- A sequence of its own: partitioned tables have identity columns from PostgreSQL 17 on only.
    CREATE SEQUENCE toolbox_tool_calls_id_seq AS bigint OWNED BY toolbox_tool_calls.id;
    ALTER TABLE toolbox_tool_calls ALTER COLUMN id SET DEFAULT nextval('toolbox_tool_calls_id_seq');
    PERFORM setval('toolbox_tool_calls_id_seq', last_id, is_used);
    FOR old IN SELECT unnest(definitions) AS definition LOOP
        EXECUTE old.definition;
    END LOOP;
    FOR old IN
        SELECT privilege_type AS may, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(rolname) END AS grantee
        FROM pg_class CROSS JOIN LATERAL aclexplode(relacl) LEFT JOIN pg_roles ON pg_roles.oid = grantee
        WHERE pg_class.oid = 'toolbox_tool_calls_before'::regclass AND grantee <> relowner
    LOOP
        EXECUTE format('GRANT %s ON toolbox_tool_calls TO %s', old.may, old.grantee);
    END LOOP;
    CREATE TRIGGER toolbox_tool_calls_counted AFTER INSERT ON toolbox_tool_calls
    REFERENCING NEW TABLE AS stored FOR EACH STATEMENT EXECUTE FUNCTION toolbox_count_calls();
    CREATE TRIGGER toolbox_tool_calls_ended AFTER UPDATE ON toolbox_tool_calls
    REFERENCING OLD TABLE AS before NEW TABLE AS stored FOR EACH STATEMENT EXECUTE FUNCTION toolbox_count_ended_calls();

    EXECUTE format(
        'ALTER TABLE toolbox_tool_calls ATTACH PARTITION toolbox_tool_calls_before FOR VALUES FROM (MINVALUE) TO (%L)', ends_at
    );
    ALTER TABLE toolbox_tool_calls_before DROP CONSTRAINT toolbox_tool_calls_before;
    CREATE TABLE toolbox_tool_calls_rest PARTITION OF toolbox_tool_calls DEFAULT;
    PERFORM toolbox_make_call_months(3);
END
$$;
