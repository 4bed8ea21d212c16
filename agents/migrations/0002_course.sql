-- The course of a run: where it may go from where it stands. What is final stays so, whoever writes.
CREATE FUNCTION agents_run_course() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state = OLD.state
        OR (OLD.state = 'queued' AND NEW.state IN ('running', 'failed', 'cancelled', 'timed_out'))
        OR (OLD.state = 'running'
            AND NEW.state IN ('queued', 'awaiting_approval', 'succeeded', 'failed', 'cancelled', 'timed_out'))
        OR (OLD.state = 'awaiting_approval' AND NEW.state IN ('queued', 'failed', 'cancelled', 'timed_out'))
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a run cannot go from % to %', OLD.state, NEW.state
        USING ERRCODE = 'check_violation', CONSTRAINT = 'agents_runs_course';
END
$$;

CREATE TRIGGER agents_run_course BEFORE UPDATE OF state ON agents_runs
    FOR EACH ROW EXECUTE FUNCTION agents_run_course();

-- Whoever watches a run, or works on it, is woken by "<run> <kind>" (agents/runs/run_listeners.py).
CREATE FUNCTION agents_ring() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('agents_runs', NEW.run_id::text || ' ' || NEW.kind);
    RETURN NULL;
END
$$;

CREATE TRIGGER agents_ring AFTER INSERT ON agents_events FOR EACH ROW EXECUTE FUNCTION agents_ring();

-- A conversation that is deleted takes its runs along, also one that is at work.
CREATE FUNCTION agents_ring_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('agents_runs', OLD.id::text || ' run.deleted');
    RETURN NULL;
END
$$;

CREATE TRIGGER agents_ring_deleted AFTER DELETE ON agents_runs
    FOR EACH ROW WHEN (OLD.state IN ('queued', 'running', 'awaiting_approval')) EXECUTE FUNCTION agents_ring_deleted();
