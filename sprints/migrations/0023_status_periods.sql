-- How long an issue was in each status, kept with the other columns that follow from its history: what was open on a
-- past day is then found by an index, not by a window over every change of every issue.
--
-- Period 0 begins when the issue was created, period n at its nth change. The last one has the issue's own status: a
-- history may be incomplete, the issue's present state is not.
CREATE INDEX sprints_status_periods_open ON sprints_status_periods (coalesce(left_at, 'infinity'), entered_at)
  INCLUDE (issue_id) WHERE status_category <> 'Done';

CREATE FUNCTION sprints_derive_status_periods(of_issues uuid[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO sprints_status_periods AS p (issue_id, position, status_id, status_category, entered_at, left_at)
  SELECT found.issue_id, found.position, found.status_id, coalesce(s.status_category, 'To Do'),
         found.entered_at, found.left_at
  FROM (
    SELECT moves.issue_id, moves.position, moves.entered_at, moves.left_at,
           CASE WHEN moves.left_at IS NULL THEN coalesce(i.status_id, moves.status_id) ELSE moves.status_id END
             AS status_id
    FROM (
      SELECT c.issue_id, c.to_status_id AS status_id, c.changed_at AS entered_at,
             row_number() OVER changes AS position, lead(c.changed_at) OVER changes AS left_at
      FROM sprints_status_changes AS c
      WHERE c.issue_id = ANY (of_issues)
      WINDOW changes AS (PARTITION BY c.issue_id ORDER BY c.changed_at, c.id)
      UNION ALL
      SELECT i.issue_id, first.from_status_id, least(i.created_at, first.changed_at), 0, first.changed_at
      FROM sprints_issues AS i
      LEFT JOIN LATERAL (
        SELECT c.from_status_id, c.changed_at FROM sprints_status_changes AS c
        WHERE c.issue_id = i.issue_id ORDER BY c.changed_at, c.id LIMIT 1
      ) AS first ON true
      WHERE i.issue_id = ANY (of_issues)
    ) AS moves
    JOIN sprints_issues AS i USING (issue_id)
  ) AS found
  LEFT JOIN sprints_statuses AS s USING (status_id)
  ON CONFLICT (issue_id, position) DO UPDATE
    SET status_id = excluded.status_id, status_category = excluded.status_category,
        entered_at = excluded.entered_at, left_at = excluded.left_at
    WHERE (p.status_id, p.status_category, p.entered_at, p.left_at) IS DISTINCT FROM
          (excluded.status_id, excluded.status_category, excluded.entered_at, excluded.left_at);
  DELETE FROM sprints_status_periods AS p
  WHERE p.issue_id = ANY (of_issues)
    AND (p.position > (SELECT count(*) FROM sprints_status_changes AS c WHERE c.issue_id = p.issue_id)
         OR NOT EXISTS (SELECT FROM sprints_issues AS i WHERE i.issue_id = p.issue_id))
$$;

CREATE OR REPLACE FUNCTION sprints_derive(of_issues uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  before text := coalesce(current_setting('sprints.deriving', true), '');
BEGIN
  PERFORM set_config('sprints.deriving', 'later', true);
  PERFORM sprints_derive_issues(of_issues);
  PERFORM sprints_derive_memberships(of_issues);
  PERFORM sprints_derive_status_periods(of_issues);
  PERFORM set_config('sprints.deriving', before, true);
END
$$;

SELECT sprints_derive_status_periods(coalesce(array_agg(issue_id), '{}')) FROM sprints_issues;

CREATE VIEW sprintscope.status_periods AS
SELECT p.issue_id, s.status_name::text AS status, p.status_category, p.entered_at, p.left_at
FROM sprints_status_periods AS p
LEFT JOIN sprints_statuses AS s USING (status_id);
COMMENT ON VIEW sprintscope.status_periods IS
  'Every period of an issue in a status, from its creation up to now. Open at a moment: entered_at is before it, left_at null or after it, status_category not Done.';
COMMENT ON COLUMN sprintscope.status_periods.issue_id IS 'The issue (issues.issue_id).';
COMMENT ON COLUMN sprintscope.status_periods.status IS 'The status in this period; null where not known.';
COMMENT ON COLUMN sprintscope.status_periods.status_category IS
  'What the status means: To Do (also where no status is known), In Progress or Done.';
COMMENT ON COLUMN sprintscope.status_periods.entered_at IS 'Since when; the first period begins at creation.';
COMMENT ON COLUMN sprintscope.status_periods.left_at IS 'Until when; null while it lasts.';
