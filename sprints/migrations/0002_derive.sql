-- What follows from history is computed here, whoever writes the history: ingestion, the admin or plain SQL.
--
-- Loaders that write thousands of rows say SET LOCAL sprints.deriving = 'later' and call sprints_derive once at the
-- end. The same setting keeps the updates below from calling themselves.

-- The category is kept with the issue (derived below), so that the few open ones of 200,000 are found by an index;
-- durations beside the moments that they follow from, so that percentiles read no more than that.
ALTER TABLE sprints_issues
  ADD COLUMN status_category text,
  ADD COLUMN cycle_time_days numeric
    GENERATED ALWAYS AS (round(extract(epoch FROM resolved_at - started_at) / 86400, 2)) STORED,
  ADD COLUMN lead_time_days numeric
    GENERATED ALWAYS AS (round(extract(epoch FROM resolved_at - created_at) / 86400, 2)) STORED;
CREATE INDEX sprints_issues_durations ON sprints_issues (team_id, resolved_at)
  INCLUDE (cycle_time_days, lead_time_days) WHERE resolved_at IS NOT NULL;

CREATE INDEX sprints_issues_open ON sprints_issues (status_category, team_id, assignee_id)
  WHERE status_category <> 'Done';

-- What an issue was estimated at, at a moment: the last estimate until then; else what the first later change
-- started from; else what it is now.
CREATE FUNCTION sprints_points_at(of_issue uuid, at timestamptz, now_points numeric)
RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT points FROM (
    (SELECT to_points AS points, 1 AS place FROM sprints_points_changes
     WHERE issue_id = of_issue AND changed_at <= at ORDER BY changed_at DESC, id DESC LIMIT 1)
    UNION ALL
    (SELECT from_points, 2 FROM sprints_points_changes
     WHERE issue_id = of_issue AND changed_at > at ORDER BY changed_at, id LIMIT 1)
    UNION ALL
    SELECT now_points, 3
  ) AS known
  ORDER BY place LIMIT 1
$$;

-- Issues: what their status means, when work began, when it ended, how often it was reopened, since when it is blocked, where it is planned.
--
-- Work began with the first move into a status of category In Progress, or at creation where the issue was made in
-- one. Only what is Done is resolved: when the source says, else at the last move into Done. The sprint is the one
-- added last and not taken out of.
CREATE FUNCTION sprints_derive_issues(of_issues uuid[]) RETURNS void LANGUAGE sql AS $$
  UPDATE sprints_issues AS i
  SET status_category = facts.status_category, started_at = facts.started_at, resolved_at = facts.resolved_at, reopened_count = facts.reopened_count,
      blocked_since = facts.blocked_since, sprint_id = facts.sprint_id
  FROM (
    SELECT i.issue_id, s.status_category::text,
           CASE WHEN moves.first_from = 'In Progress' OR (moves.first_at IS NULL AND s.status_category = 'In Progress')
                THEN i.created_at ELSE moves.began_at END AS started_at,
           CASE WHEN s.status_category = 'Done' THEN coalesce(i.source_resolved_at, moves.done_at) END AS resolved_at,
           moves.reopened_count,
           (SELECT min(blocked_at) FROM sprints_blocked_periods AS b
            WHERE b.issue_id = i.issue_id AND b.unblocked_at IS NULL) AS blocked_since,
           (SELECT m.sprint_id FROM sprints_sprint_issues AS m JOIN sprints_sprints AS p USING (sprint_id)
            WHERE m.issue_id = i.issue_id AND m.removed_at IS NULL
            ORDER BY m.added_at DESC, p.started_at DESC NULLS FIRST, m.id DESC LIMIT 1) AS sprint_id
    FROM sprints_issues AS i
    LEFT JOIN sprints_statuses AS s USING (status_id)
    CROSS JOIN LATERAL (
      SELECT min(c.changed_at) AS first_at,
             (array_agg(f.status_category ORDER BY c.changed_at, c.id))[1] AS first_from,
             min(c.changed_at) FILTER (WHERE t.status_category = 'In Progress') AS began_at,
             max(c.changed_at) FILTER (WHERE t.status_category = 'Done'
                                         AND f.status_category IS DISTINCT FROM 'Done') AS done_at,
             count(*) FILTER (WHERE f.status_category = 'Done' AND t.status_category <> 'Done') AS reopened_count
      FROM sprints_status_changes AS c
      JOIN sprints_statuses AS t ON t.status_id = c.to_status_id
      LEFT JOIN sprints_statuses AS f ON f.status_id = c.from_status_id
      WHERE c.issue_id = i.issue_id
    ) AS moves
    WHERE i.issue_id = ANY (of_issues)
  ) AS facts
  WHERE i.issue_id = facts.issue_id
    AND (i.status_category, i.started_at, i.resolved_at, i.reopened_count, i.blocked_since, i.sprint_id)
        IS DISTINCT FROM
        (facts.status_category, facts.started_at, facts.resolved_at, facts.reopened_count, facts.blocked_since,
         facts.sprint_id)
$$;

-- Stays in sprints: what was committed at the start, came or went after it, was done in it, was left over at its end.
--
-- What counts is how things stood when the sprint was closed, when the issue was taken out, or now. An issue without
-- any history was done when the source says. What was done before the sprint began is neither completed nor left over.
CREATE FUNCTION sprints_derive_stays(of_issues uuid[]) RETURNS void LANGUAGE sql AS $$
  UPDATE sprints_sprint_issues AS m
  SET was_committed = facts.was_committed, was_added_after_start = facts.was_added_after_start,
      was_removed = facts.was_removed, done_at = facts.done_at,
      was_completed = facts.was_completed, was_carried_over = facts.was_carried_over,
      points_at_start = facts.points_at_start, points_at_end = facts.points_at_end
  FROM (
    SELECT stay.id, stay.was_committed, stay.was_added_after_start, stay.was_removed, moves.done_at,
           stay.has_begun AND NOT stay.was_removed AND coalesce(moves.done_at >= stay.began_at, false) AS was_completed,
           stay.is_closed AND stay.has_begun AND NOT stay.was_removed AND moves.done_at IS NULL AS was_carried_over,
           CASE WHEN stay.was_re_estimated THEN sprints_points_at(stay.issue_id, stay.began_at, stay.story_points)
                ELSE stay.story_points END AS points_at_start,
           CASE WHEN stay.was_re_estimated THEN sprints_points_at(stay.issue_id, stay.until, stay.story_points)
                ELSE stay.story_points END AS points_at_end
    FROM (
      SELECT m.id, m.issue_id, i.story_points, i.source_resolved_at, p.state = 'closed' AS is_closed,
             coalesce(m.added_at <= p.started_at AND coalesce(m.removed_at > p.started_at, true), false)
               AS was_committed,
             coalesce(m.added_at > p.started_at AND m.added_at <= coalesce(p.completed_at, 'infinity'), false)
               AS was_added_after_start,
             coalesce(m.removed_at > p.started_at AND m.removed_at < coalesce(p.completed_at, 'infinity'), false)
               AS was_removed,
             coalesce(p.started_at IS NOT NULL AND m.added_at <= coalesce(p.completed_at, 'infinity')
                      AND coalesce(m.removed_at > p.started_at, true), false) AS has_begun,
             greatest(p.started_at, m.added_at) AS began_at,
             least(p.completed_at, m.removed_at, 'infinity') AS until,
             EXISTS (SELECT FROM sprints_points_changes AS c WHERE c.issue_id = m.issue_id) AS was_re_estimated
      FROM sprints_sprint_issues AS m
      JOIN sprints_sprints AS p USING (sprint_id)
      JOIN sprints_issues AS i USING (issue_id)
      WHERE m.issue_id = ANY (of_issues)
    ) AS stay
    CROSS JOIN LATERAL (
      SELECT CASE WHEN count(*) = 0 THEN
                    CASE WHEN stay.source_resolved_at <= stay.until THEN stay.source_resolved_at END
                  WHEN (array_agg(t.status_category ORDER BY c.changed_at DESC, c.id DESC)
                        FILTER (WHERE c.changed_at <= stay.until))[1] = 'Done' THEN
                    coalesce(max(c.changed_at) FILTER (WHERE c.changed_at <= stay.until AND t.status_category = 'Done'
                                                         AND f.status_category IS DISTINCT FROM 'Done'),
                             min(c.changed_at))
             END AS done_at
      FROM sprints_status_changes AS c
      JOIN sprints_statuses AS t ON t.status_id = c.to_status_id
      LEFT JOIN sprints_statuses AS f ON f.status_id = c.from_status_id
      WHERE c.issue_id = stay.issue_id
    ) AS moves
  ) AS facts
  WHERE m.id = facts.id
    AND (m.was_committed, m.was_added_after_start, m.was_removed, m.done_at, m.was_completed, m.was_carried_over,
         m.points_at_start, m.points_at_end) IS DISTINCT FROM
        (facts.was_committed, facts.was_added_after_start, facts.was_removed, facts.done_at, facts.was_completed,
         facts.was_carried_over, facts.points_at_start, facts.points_at_end)
$$;

CREATE FUNCTION sprints_derive(of_issues uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  before text := coalesce(current_setting('sprints.deriving', true), '');
BEGIN
  PERFORM set_config('sprints.deriving', 'later', true);
  PERFORM sprints_derive_issues(of_issues);
  PERFORM sprints_derive_stays(of_issues);
  PERFORM set_config('sprints.deriving', before, true);
END
$$;

-- After history or issues were written.
CREATE FUNCTION sprints_on_history() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed uuid[];
BEGIN
  IF current_setting('sprints.deriving', true) = 'later' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(DISTINCT issue_id) INTO changed FROM new_rows;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(DISTINCT issue_id) INTO changed FROM old_rows;
  ELSE
    SELECT array_agg(issue_id) INTO changed
    FROM (SELECT issue_id FROM new_rows UNION SELECT issue_id FROM old_rows) AS rows;
  END IF;
  IF changed IS NOT NULL THEN
    PERFORM sprints_derive(changed);
  END IF;
  RETURN NULL;
END
$$;

-- After a sprint was moved, or a status came to mean something else.
CREATE FUNCTION sprints_on_sprint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('sprints.deriving', true), '') <> 'later' THEN
    PERFORM sprints_derive(coalesce(array_agg(issue_id), '{}'))
    FROM sprints_sprint_issues WHERE sprint_id = NEW.sprint_id;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION sprints_on_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM sprints_derive(coalesce(array_agg(issue_id), '{}'))
  FROM sprints_issues AS i
  WHERE i.status_id = NEW.status_id OR EXISTS (
    SELECT FROM sprints_status_changes AS c
    WHERE c.issue_id = i.issue_id AND NEW.status_id IN (c.from_status_id, c.to_status_id)
  );
  RETURN NULL;
END
$$;

CREATE TRIGGER sprints_sprints_moved AFTER UPDATE OF state, started_at, completed_at ON sprints_sprints
FOR EACH ROW WHEN ((OLD.state, OLD.started_at, OLD.completed_at) IS DISTINCT FROM
                   (NEW.state, NEW.started_at, NEW.completed_at))
EXECUTE FUNCTION sprints_on_sprint();

CREATE TRIGGER sprints_statuses_meant AFTER UPDATE OF status_category ON sprints_statuses
FOR EACH ROW WHEN (OLD.status_category <> NEW.status_category) EXECUTE FUNCTION sprints_on_status();

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['sprints_issues', 'sprints_sprint_issues', 'sprints_status_changes',
                              'sprints_points_changes', 'sprints_blocked_periods'] LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows '
                   'FOR EACH STATEMENT EXECUTE FUNCTION sprints_on_history()', name || '_added', name);
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows '
                   'FOR EACH STATEMENT EXECUTE FUNCTION sprints_on_history()', name || '_changed', name);
    EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows '
                   'FOR EACH STATEMENT EXECUTE FUNCTION sprints_on_history()', name || '_gone', name);
  END LOOP;
END
$$;
