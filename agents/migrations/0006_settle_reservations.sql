-- What a run's call of the model took, counted when its reservation ends: when the reply is saved (reserved_on becomes
-- NULL), or when the run leaves its worker in any way while the call is under way. Then the tokens streamed so far count.
CREATE FUNCTION agents_settle() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    run agents_runs;
    taken bigint;
    spent numeric;
BEGIN
    IF TG_OP = 'DELETE' THEN
        run := OLD;
    ELSE
        run := NEW;
    END IF;
    IF OLD.reserved_on IS NULL THEN
        RETURN run;
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.reserved_on IS NOT NULL AND NEW.state = 'running' AND NEW.attempt = OLD.attempt THEN
        RETURN NEW;
    END IF;
    taken := run.streamed_prompt_tokens + run.streamed_completion_tokens;
    spent := (run.streamed_prompt_tokens * run.prompt_price + run.streamed_completion_tokens * run.completion_price)
        / 1000000;
    UPDATE agents_daily_usage
    SET calls = calls + 1,
        prompt_tokens = prompt_tokens + run.streamed_prompt_tokens,
        completion_tokens = completion_tokens + run.streamed_completion_tokens,
        estimated_tokens = estimated_tokens + CASE WHEN run.streamed_is_estimated THEN taken ELSE 0 END,
        cost = cost + spent,
        reserved_tokens = greatest(reserved_tokens - OLD.reserved_tokens, 0),
        reserved_cost = greatest(reserved_cost - OLD.reserved_cost, 0)
    WHERE day = OLD.reserved_on AND key_id = coalesce(OLD.key_id, 0);
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    IF run.streamed_is_estimated THEN
        -- A call that broke off: its step stays begun, and shows what it took.
        UPDATE agents_steps
        SET prompt_tokens = prompt_tokens + run.streamed_prompt_tokens,
            completion_tokens = completion_tokens + run.streamed_completion_tokens, is_estimated = true
        WHERE run_id = run.id AND kind = 'model' AND state = 'started';
    END IF;
    NEW.prompt_tokens := NEW.prompt_tokens + run.streamed_prompt_tokens;
    NEW.completion_tokens := NEW.completion_tokens + run.streamed_completion_tokens;
    NEW.estimated_tokens := NEW.estimated_tokens + CASE WHEN run.streamed_is_estimated THEN taken ELSE 0 END;
    NEW.cost := NEW.cost + spent;
    NEW.reserved_on := NULL;
    NEW.reserved_tokens := 0;
    NEW.reserved_cost := 0;
    NEW.streamed_prompt_tokens := 0;
    NEW.streamed_completion_tokens := 0;
    RETURN NEW;
END
$$;

CREATE TRIGGER agents_settle BEFORE UPDATE OF state, attempt, reserved_on ON agents_runs
    FOR EACH ROW EXECUTE FUNCTION agents_settle();
CREATE TRIGGER agents_settle_deleted BEFORE DELETE ON agents_runs
    FOR EACH ROW WHEN (OLD.reserved_on IS NOT NULL) EXECUTE FUNCTION agents_settle();
