-- What the guard writes into statements (value_sizes.py), for a database whose tables are questioned without migrations.
-- {schema} and {role} are filled in. The views' own schema has them by migrations 0004 and 0020.
CREATE FUNCTION {schema}.refuse_large_row() RETURNS boolean
LANGUAGE plpgsql PARALLEL SAFE AS $$
BEGIN
  RAISE EXCEPTION 'a row is larger than an answer may be' USING ERRCODE = 'program_limit_exceeded';
END $$;
CREATE FUNCTION {schema}.limit_size(value anyelement) RETURNS anyelement
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF pg_column_size(value) > 1000000 THEN
    RAISE EXCEPTION 'a value in the statement is larger than 1,000,000 bytes' USING ERRCODE = 'program_limit_exceeded';
  END IF;
  RETURN value;
END $$;
GRANT USAGE ON SCHEMA {schema} TO {role};
GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role};
GRANT EXECUTE ON FUNCTION {schema}.refuse_large_row(), {schema}.limit_size(anyelement) TO {role};
