-- Membership of sprints over time, and what an issue's sprint is now.
--
-- sprint_issues has one row for each issue and sprint, with the time in which the issue was in it. Everything that is
-- counted of a sprint is read at its close, or now while it is not closed. Now, an issue's own status and estimate
-- decide: a history may be incomplete, the issue's present state is not.

-- An issue without a known status counts as To Do, so that open and done issues are all issues.
-- The triggers wait: their functions, still those of 0002, would empty the column again.
SELECT set_config('sprints.deriving', 'later', true);
UPDATE sprints_issues SET status_category = 'To Do' WHERE status_category IS NULL;
ALTER TABLE sprints_issues
  ALTER COLUMN status_category SET DEFAULT 'To Do',
  ALTER COLUMN status_category SET NOT NULL;

-- What follows from an issue's own history.
--
-- Work began with the first move into a status of category In Progress, or at creation where the issue was created in
-- one. Only what is Done is resolved: when the source says, else at the last move into Done. Of the sprints that the
-- issue is in, its current one is the active one; else the next future one; else the one closed last.
CREATE OR REPLACE FUNCTION sprints_derive_issues(of_issues uuid[]) RETURNS void LANGUAGE sql AS $$
  UPDATE sprints_issues AS i
  SET status_category = facts.status_category, started_at = facts.started_at, resolved_at = facts.resolved_at,
      reopened_count = facts.reopened_count, blocked_since = facts.blocked_since, sprint_id = facts.sprint_id
  FROM (
    SELECT i.issue_id, coalesce(s.status_category::text, 'To Do') AS status_category,
           CASE WHEN moves.first_from = 'In Progress' OR (moves.first_at IS NULL AND s.status_category = 'In Progress')
                THEN i.created_at ELSE moves.began_at END AS started_at,
           CASE WHEN s.status_category = 'Done' THEN coalesce(i.source_resolved_at, moves.done_at) END AS resolved_at,
           moves.reopened_count,
           (SELECT min(blocked_at) FROM sprints_blocked_periods AS b
            WHERE b.issue_id = i.issue_id AND b.unblocked_at IS NULL) AS blocked_since,
           (SELECT m.sprint_id FROM sprints_sprint_issues AS m JOIN sprints_sprints AS p USING (sprint_id)
            WHERE m.issue_id = i.issue_id AND m.removed_at IS NULL
            ORDER BY array_position(ARRAY['active', 'future', 'closed'], p.state::text),
                     CASE WHEN p.state = 'future' THEN p.ends_at END NULLS LAST,
                     coalesce(p.completed_at, p.started_at) DESC NULLS LAST, m.added_at DESC, m.id DESC
            LIMIT 1) AS sprint_id
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

-- What became of each issue in each of its sprints.
--
-- The state counts when the sprint was closed or the issue was taken out (`until`); where neither happened, now. When
-- an issue was done is taken from its moves. Without any move the source says; else the issue was changed last when it
-- was done, at the latest. What was done before the sprint began is neither completed nor left over.
CREATE FUNCTION sprints_derive_memberships(of_issues uuid[]) RETURNS void LANGUAGE sql AS $$
  UPDATE sprints_sprint_issues AS m
  SET was_committed = facts.was_committed, was_added_after_start = facts.was_added_after_start,
      was_removed = facts.was_removed, done_at = facts.done_at,
      was_completed = facts.was_completed, was_carried_over = facts.was_carried_over,
      points_at_start = facts.points_at_start, points_at_end = facts.points_at_end
  FROM (
    SELECT member.id, member.was_committed, member.was_added_after_start, member.was_removed, moves.done_at,
           member.has_begun AND NOT member.was_removed AND coalesce(moves.done_at >= member.began_at, false)
             AS was_completed,
           member.is_closed AND member.has_begun AND NOT member.was_removed AND moves.done_at IS NULL
             AS was_carried_over,
           CASE WHEN member.was_re_estimated
                THEN sprints_points_at(member.issue_id, member.began_at, member.story_points)
                ELSE member.story_points END AS points_at_start,
           CASE WHEN member.was_re_estimated AND member.until < 'infinity'
                THEN sprints_points_at(member.issue_id, member.until, member.story_points)
                ELSE member.story_points END AS points_at_end
    FROM (
      SELECT m.id, m.issue_id, i.story_points, i.status_category = 'Done' AS is_done, p.state = 'closed' AS is_closed,
             coalesce(i.source_resolved_at, CASE WHEN i.status_category = 'Done' THEN i.updated_at END) AS source_done_at,
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
    ) AS member
    CROSS JOIN LATERAL (
      SELECT CASE WHEN CASE WHEN member.until = 'infinity' THEN member.is_done
                            WHEN seen.number = 0 THEN member.source_done_at <= member.until
                            ELSE seen.last_category = 'Done' END
                  THEN coalesce(seen.entered_done_at, seen.first_done_at, member.source_done_at) END AS done_at
      FROM (
        SELECT count(*) AS number,
               (array_agg(t.status_category ORDER BY c.changed_at DESC, c.id DESC)
                FILTER (WHERE c.changed_at <= member.until))[1] AS last_category,
               max(c.changed_at) FILTER (WHERE c.changed_at <= member.until AND t.status_category = 'Done'
                                           AND f.status_category IS DISTINCT FROM 'Done') AS entered_done_at,
               min(c.changed_at) FILTER (WHERE c.changed_at <= member.until AND t.status_category = 'Done')
                 AS first_done_at
        FROM sprints_status_changes AS c
        JOIN sprints_statuses AS t ON t.status_id = c.to_status_id
        LEFT JOIN sprints_statuses AS f ON f.status_id = c.from_status_id
        WHERE c.issue_id = member.issue_id
      ) AS seen
    ) AS moves
  ) AS facts
  WHERE m.id = facts.id
    AND (m.was_committed, m.was_added_after_start, m.was_removed, m.done_at, m.was_completed, m.was_carried_over,
         m.points_at_start, m.points_at_end) IS DISTINCT FROM
        (facts.was_committed, facts.was_added_after_start, facts.was_removed, facts.done_at, facts.was_completed,
         facts.was_carried_over, facts.points_at_start, facts.points_at_end)
$$;

-- Memberships follow from issues (status_category), so issues come first.
CREATE OR REPLACE FUNCTION sprints_derive(of_issues uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  before text := coalesce(current_setting('sprints.deriving', true), '');
BEGIN
  PERFORM set_config('sprints.deriving', 'later', true);
  PERFORM sprints_derive_issues(of_issues);
  PERFORM sprints_derive_memberships(of_issues);
  PERFORM set_config('sprints.deriving', before, true);
END
$$;
DROP FUNCTION sprints_derive_stays(uuid[]);

-- The planned end says which future sprint is next.
DROP TRIGGER sprints_sprints_moved ON sprints_sprints;
CREATE TRIGGER sprints_sprints_moved AFTER UPDATE OF state, started_at, ends_at, completed_at ON sprints_sprints
FOR EACH ROW WHEN ((OLD.state, OLD.started_at, OLD.ends_at, OLD.completed_at) IS DISTINCT FROM
                   (NEW.state, NEW.started_at, NEW.ends_at, NEW.completed_at))
EXECUTE FUNCTION sprints_on_sprint();

SELECT sprints_derive(coalesce(array_agg(issue_id), '{}')) FROM sprints_issues;
SELECT set_config('sprints.deriving', '', true);

COMMENT ON COLUMN sprintscope.issues.sprint_id IS
  'The issue''s sprint now: the active one that it is in; else the next future one; else the one closed last; null where it is in none. Which issues were in a sprint, also a closed one, says sprint_issues (sprints.sprint_id).';
COMMENT ON COLUMN sprintscope.issues.status_category IS
  'What the status means: To Do (also where no status is known), In Progress or Done.';

CREATE OR REPLACE VIEW sprintscope.issues AS
SELECT i.issue_id, i.issue_key::text, i.title, i.issue_type::text,
       s.status_name::text AS status, i.status_category, i.priority::text, i.resolution::text,
       i.story_points, round(i.original_estimate_seconds / 3600.0, 2) AS original_estimate_hours,
       round(i.remaining_estimate_seconds / 3600.0, 2) AS remaining_estimate_hours,
       round(i.time_spent_seconds / 3600.0, 2) AS time_spent_hours,
       i.assignee_id, i.reporter_id, i.team_id, i.sprint_id, i.epic_id, i.parent_id, i.labels::text[],
       i.blocked_since IS NOT NULL AS is_blocked, i.blocked_since, i.reopened_count, i.due_date,
       i.created_at, i.updated_at, i.started_at, i.resolved_at, i.cycle_time_days, i.lead_time_days,
       i.status_category <> 'Done' AND (i.sprint_id IS NULL OR p.state = 'closed') AS is_in_backlog
FROM sprints_issues AS i
LEFT JOIN sprints_statuses AS s USING (status_id)
LEFT JOIN sprints_sprints AS p ON p.sprint_id = i.sprint_id;
COMMENT ON COLUMN sprintscope.issues.is_in_backlog IS 'True while it is open and in no active or future sprint.';

-- The joins of is_current and is_in_scope find one row each; a query that names neither column does not run them.
CREATE OR REPLACE VIEW sprintscope.sprint_issues AS
SELECT m.sprint_id, m.issue_id, m.added_at, m.removed_at, m.was_committed, m.was_added_after_start, m.was_removed,
       m.was_completed, m.was_carried_over, m.done_at, m.points_at_start, m.points_at_end,
       coalesce(m.added_at <= coalesce(p.completed_at, 'infinity')
                AND (m.removed_at IS NULL OR m.removed_at >= p.completed_at), false) AS is_in_scope,
       coalesce(i.sprint_id = m.sprint_id, false) AS is_current
FROM sprints_sprint_issues AS m
LEFT JOIN sprints_sprints AS p ON p.sprint_id = m.sprint_id
LEFT JOIN sprints_issues AS i ON i.issue_id = m.issue_id;
COMMENT ON COLUMN sprintscope.sprint_issues.done_at IS
  'When it was done, as seen at the close of the sprint, or at its removal, or now; null where it was not.';
COMMENT ON COLUMN sprintscope.sprint_issues.is_in_scope IS
  'It was in the sprint at the close; for a sprint that is not closed: it is in it now. With done_at IS NULL: what was left, or is left.';
COMMENT ON COLUMN sprintscope.sprint_issues.is_current IS
  'This sprint is the issue''s sprint now (issues.sprint_id); true for at most one sprint of an issue.';

CREATE OR REPLACE VIEW sprintscope.sprint_summary AS
SELECT p.sprint_id, p.sprint_name::text, p.team_id, p.state::text, p.started_at, p.completed_at,
       count(*) FILTER (WHERE m.was_committed) AS committed_issues,
       coalesce(sum(m.points_at_start) FILTER (WHERE m.was_committed), 0) AS committed_points,
       count(*) FILTER (WHERE m.was_completed) AS completed_issues,
       coalesce(sum(m.points_at_end) FILTER (WHERE m.was_completed), 0) AS completed_points,
       count(*) FILTER (WHERE m.was_added_after_start) AS added_issues,
       coalesce(sum(m.points_at_start) FILTER (WHERE m.was_added_after_start), 0) AS added_points,
       count(*) FILTER (WHERE m.was_removed) AS removed_issues,
       coalesce(sum(m.points_at_end) FILTER (WHERE m.was_removed), 0) AS removed_points,
       count(*) FILTER (WHERE m.was_carried_over) AS carried_over_issues,
       coalesce(sum(m.points_at_end) FILTER (WHERE m.was_carried_over), 0) AS carried_over_points,
       count(*) FILTER (WHERE (m.was_committed OR m.was_added_after_start) AND m.points_at_end IS NULL)
         AS unestimated_issues,
       count(*) FILTER (WHERE scope.is_in) AS scope_issues,
       coalesce(sum(m.points_at_end) FILTER (WHERE scope.is_in), 0) AS scope_points,
       count(*) FILTER (WHERE scope.is_in AND m.done_at IS NULL) AS remaining_issues,
       coalesce(sum(m.points_at_end) FILTER (WHERE scope.is_in AND m.done_at IS NULL), 0) AS remaining_points
FROM sprints_sprints AS p
LEFT JOIN sprints_sprint_issues AS m USING (sprint_id)
CROSS JOIN LATERAL (
  SELECT m.added_at <= coalesce(p.completed_at, 'infinity')
         AND (m.removed_at IS NULL OR m.removed_at >= p.completed_at) AS is_in
) AS scope
GROUP BY p.sprint_id;
COMMENT ON COLUMN sprintscope.sprint_summary.scope_issues IS
  'Issues in it at its close; for a sprint that is not closed: now.';
COMMENT ON COLUMN sprintscope.sprint_summary.scope_points IS 'Their story points then.';
COMMENT ON COLUMN sprintscope.sprint_summary.remaining_issues IS
  'Of those, not done at the close; for a sprint that is not closed: not done now, what is left.';
COMMENT ON COLUMN sprintscope.sprint_summary.remaining_points IS 'Their story points then.';

-- The last day is the state at the close, or now, by the same columns as sprint_summary, so that both agree.
CREATE OR REPLACE VIEW sprintscope.sprint_days AS
SELECT p.sprint_id, days.day::date AS day, total.scope_issues, total.scope_points, total.completed_issues,
       total.completed_points, total.scope_issues - total.completed_issues AS remaining_issues,
       total.scope_points - total.completed_points AS remaining_points
FROM sprints_sprints AS p
JOIN sprints_organisations AS o USING (organisation_id)
CROSS JOIN LATERAL (
  SELECT coalesce(p.completed_at, greatest(o.data_as_of, p.started_at)) AT TIME ZONE 'UTC' AS ended
) AS run
CROSS JOIN LATERAL generate_series(
  date_trunc('day', p.started_at AT TIME ZONE 'UTC'),
  least(run.ended, (p.started_at + '400 days'::interval) AT TIME ZONE 'UTC'),
  '1 day'::interval
) AS days (day)
CROSS JOIN LATERAL (
  SELECT days.day + '1 day'::interval > run.ended AS is_last,
         CASE WHEN days.day + '1 day'::interval > run.ended THEN coalesce(p.completed_at, 'infinity')
              ELSE (days.day + '1 day'::interval) AT TIME ZONE 'UTC' END AS until
) AS bound
CROSS JOIN LATERAL (
  SELECT count(*) AS scope_issues, coalesce(sum(member.points), 0) AS scope_points,
         count(*) FILTER (WHERE member.is_done) AS completed_issues,
         coalesce(sum(member.points) FILTER (WHERE member.is_done), 0) AS completed_points
  FROM (
    SELECT coalesce(m.done_at <= bound.until, false) AS is_done,
           CASE WHEN bound.is_last THEN m.points_at_end
                ELSE coalesce((SELECT coalesce(c.to_points, 0) FROM sprints_points_changes AS c
                               WHERE c.issue_id = m.issue_id AND c.changed_at > greatest(p.started_at, m.added_at)
                                 AND c.changed_at <= bound.until
                               ORDER BY c.changed_at DESC, c.id DESC LIMIT 1), m.points_at_start) END AS points
    FROM sprints_sprint_issues AS m
    WHERE m.sprint_id = p.sprint_id AND m.added_at <= bound.until
      AND (m.removed_at IS NULL OR m.removed_at > bound.until OR bound.is_last AND m.removed_at >= p.completed_at)
  ) AS member
) AS total
WHERE p.started_at IS NOT NULL;
COMMENT ON VIEW sprintscope.sprint_days IS
  'The burndown: how each day of a sprint ended. Ask for one sprint_id; days begin and end at midnight UTC. The last day is the state at the close, or now.';

CREATE VIEW sprintscope.sprint_blocked_periods AS
SELECT m.sprint_id, m.issue_id, span.blocked_from, span.blocked_until, b.reason::text,
       round(extract(epoch FROM coalesce(span.blocked_until, greatest(o.data_as_of, span.blocked_from))
                                - span.blocked_from) / 86400, 2) AS blocked_days
FROM sprints_sprint_issues AS m
JOIN sprints_sprints AS p USING (sprint_id)
JOIN sprints_organisations AS o USING (organisation_id)
JOIN sprints_blocked_periods AS b USING (issue_id)
CROSS JOIN LATERAL (
  SELECT greatest(b.blocked_at, p.started_at, m.added_at) AS blocked_from,
         least(b.unblocked_at, p.completed_at, m.removed_at) AS blocked_until
) AS span
WHERE p.started_at IS NOT NULL AND span.blocked_from < coalesce(span.blocked_until, 'infinity');
COMMENT ON VIEW sprintscope.sprint_blocked_periods IS
  'What was blocked during a sprint: blocked periods cut to the time in which the issue was in the running sprint.';
COMMENT ON COLUMN sprintscope.sprint_blocked_periods.sprint_id IS 'The sprint (sprints.sprint_id).';
COMMENT ON COLUMN sprintscope.sprint_blocked_periods.issue_id IS 'The issue (issues.issue_id).';
COMMENT ON COLUMN sprintscope.sprint_blocked_periods.blocked_from IS 'Since when it was blocked in the sprint.';
COMMENT ON COLUMN sprintscope.sprint_blocked_periods.blocked_until IS
  'Until when it was blocked in the sprint; null while it is still blocked in a running sprint.';
COMMENT ON COLUMN sprintscope.sprint_blocked_periods.reason IS 'Why, if a reason was given; else empty.';
COMMENT ON COLUMN sprintscope.sprint_blocked_periods.blocked_days IS
  'Days blocked in the sprint; while it lasts, until snapshot.as_of.';
