-- The analyst's world: what agents may see of issues, sprints and teams. Views only, a comment on each and on every
-- column; no e-mail address, no description, nothing that identifies an account.
--
-- They read the tables, so what a curator corrects is what a tool answers. No function that reads a table is called
-- in them: it would run with the rights of whoever asks.
CREATE SCHEMA sprintscope;
COMMENT ON SCHEMA sprintscope IS 'Issues, sprints, teams and people, and the history of issues. Times are UTC.';

CREATE VIEW sprintscope.teams AS
SELECT t.team_id, t.team_key::text, t.team_name::text, o.organisation_name::text, o.data_as_of
FROM sprints_teams AS t JOIN sprints_organisations AS o USING (organisation_id);
COMMENT ON VIEW sprintscope.teams IS 'Teams; each owns the issues whose key begins with its team_key.';
COMMENT ON COLUMN sprintscope.teams.team_id IS 'Identifies the team.';
COMMENT ON COLUMN sprintscope.teams.team_key IS 'Short name in capitals, as ACCEL: issue ACCEL-13 is this team''s.';
COMMENT ON COLUMN sprintscope.teams.team_name IS 'Name of the team.';
COMMENT ON COLUMN sprintscope.teams.organisation_name IS 'The organisation that the team belongs to.';
COMMENT ON COLUMN sprintscope.teams.data_as_of IS 'The latest moment that the organisation''s data tells of.';

CREATE VIEW sprintscope.users AS
SELECT user_id, full_name::text, team_id, is_active FROM sprints_users;
COMMENT ON VIEW sprintscope.users IS 'People who are assigned issues or report them.';
COMMENT ON COLUMN sprintscope.users.user_id IS 'Identifies the person.';
COMMENT ON COLUMN sprintscope.users.full_name IS 'Full name; two people may have the same first name.';
COMMENT ON COLUMN sprintscope.users.team_id IS 'The team that the person mostly works in, if known (teams.team_id).';
COMMENT ON COLUMN sprintscope.users.is_active IS 'False for people who have left.';

CREATE VIEW sprintscope.sprints AS
SELECT sprint_id, sprint_name::text, team_id, state::text, goal,
       (started_at AT TIME ZONE 'UTC')::date AS start_date, (ends_at AT TIME ZONE 'UTC')::date AS end_date,
       started_at, ends_at, completed_at
FROM sprints_sprints;
COMMENT ON VIEW sprintscope.sprints IS 'Sprints of teams. What each came to is in sprint_summary.';
COMMENT ON COLUMN sprintscope.sprints.sprint_id IS 'Identifies the sprint.';
COMMENT ON COLUMN sprintscope.sprints.sprint_name IS 'Name, as ACCEL Sprint 12.';
COMMENT ON COLUMN sprintscope.sprints.team_id IS 'The team whose sprint it is (teams.team_id).';
COMMENT ON COLUMN sprintscope.sprints.state IS 'future, active or closed.';
COMMENT ON COLUMN sprintscope.sprints.goal IS 'What the team wanted to reach; empty where nothing was written.';
COMMENT ON COLUMN sprintscope.sprints.start_date IS 'Day on which it was started.';
COMMENT ON COLUMN sprintscope.sprints.end_date IS 'Day on which it was planned to end.';
COMMENT ON COLUMN sprintscope.sprints.started_at IS 'When it was started; null for a future sprint.';
COMMENT ON COLUMN sprintscope.sprints.ends_at IS 'When it was planned to end.';
COMMENT ON COLUMN sprintscope.sprints.completed_at IS 'When it was closed; null until then.';

CREATE VIEW sprintscope.issues AS
SELECT i.issue_id, i.issue_key::text, i.title, i.issue_type::text,
       s.status_name::text AS status, i.status_category, i.priority::text, i.resolution::text,
       i.story_points, round(i.original_estimate_seconds / 3600.0, 2) AS original_estimate_hours,
       round(i.remaining_estimate_seconds / 3600.0, 2) AS remaining_estimate_hours,
       round(i.time_spent_seconds / 3600.0, 2) AS time_spent_hours,
       i.assignee_id, i.reporter_id, i.team_id, i.sprint_id, i.epic_id, i.parent_id, i.labels::text[],
       i.blocked_since IS NOT NULL AS is_blocked, i.blocked_since, i.reopened_count, i.due_date,
       i.created_at, i.updated_at, i.started_at, i.resolved_at, i.cycle_time_days, i.lead_time_days
FROM sprints_issues AS i LEFT JOIN sprints_statuses AS s USING (status_id);
COMMENT ON VIEW sprintscope.issues IS 'Issues as they stand now: stories, bugs, tasks, epics, sub-tasks.';
COMMENT ON COLUMN sprintscope.issues.issue_id IS 'Identifies the issue.';
COMMENT ON COLUMN sprintscope.issues.issue_key IS 'Key that people use, as ACCEL-13.';
COMMENT ON COLUMN sprintscope.issues.title IS 'What it is about, in a line.';
COMMENT ON COLUMN sprintscope.issues.issue_type IS 'Story, Bug, Task, Epic, Sub-task or another type of the board.';
COMMENT ON COLUMN sprintscope.issues.status IS 'Status as the board calls it, as In Progress, QA, Done.';
COMMENT ON COLUMN sprintscope.issues.status_category IS 'What the status means: To Do, In Progress or Done.';
COMMENT ON COLUMN sprintscope.issues.priority IS 'Priority; of the sample p0 (most urgent) to p4, else the board''s word.';
COMMENT ON COLUMN sprintscope.issues.resolution IS 'How it ended, as Done or Won''t Do; empty while open.';
COMMENT ON COLUMN sprintscope.issues.story_points IS 'Estimate in story points; null where not estimated.';
COMMENT ON COLUMN sprintscope.issues.original_estimate_hours IS 'First estimate of working time, in hours.';
COMMENT ON COLUMN sprintscope.issues.remaining_estimate_hours IS 'Working time still expected, in hours.';
COMMENT ON COLUMN sprintscope.issues.time_spent_hours IS 'Working time logged, in hours: the outcome of the estimate.';
COMMENT ON COLUMN sprintscope.issues.assignee_id IS 'Who works on it; null where nobody does (users.user_id).';
COMMENT ON COLUMN sprintscope.issues.reporter_id IS 'Who reported it (users.user_id).';
COMMENT ON COLUMN sprintscope.issues.team_id IS 'The team that owns it (teams.team_id).';
COMMENT ON COLUMN sprintscope.issues.sprint_id IS
  'The sprint it is planned in, or was in last; null in the backlog (sprints.sprint_id).';
COMMENT ON COLUMN sprintscope.issues.epic_id IS 'The epic it belongs to (issues.issue_id).';
COMMENT ON COLUMN sprintscope.issues.parent_id IS 'The issue whose sub-task it is (issues.issue_id).';
COMMENT ON COLUMN sprintscope.issues.labels IS 'Labels.';
COMMENT ON COLUMN sprintscope.issues.is_blocked IS 'True while it is flagged as blocked.';
COMMENT ON COLUMN sprintscope.issues.blocked_since IS 'Since when it is blocked; null where it is not.';
COMMENT ON COLUMN sprintscope.issues.reopened_count IS 'How often it was taken out of Done again.';
COMMENT ON COLUMN sprintscope.issues.due_date IS 'Day by which it is wanted.';
COMMENT ON COLUMN sprintscope.issues.created_at IS 'When it was created.';
COMMENT ON COLUMN sprintscope.issues.updated_at IS 'When it was last changed.';
COMMENT ON COLUMN sprintscope.issues.started_at IS 'When work began: the first move to a status of In Progress.';
COMMENT ON COLUMN sprintscope.issues.resolved_at IS 'When it was done; null while it is not Done.';
COMMENT ON COLUMN sprintscope.issues.cycle_time_days IS 'Days from started_at to resolved_at; null until resolved.';
COMMENT ON COLUMN sprintscope.issues.lead_time_days IS 'Days from created_at to resolved_at; null until resolved.';

CREATE VIEW sprintscope.sprint_issues AS
SELECT m.sprint_id, m.issue_id, m.added_at, m.removed_at, m.was_committed, m.was_added_after_start, m.was_removed,
       m.was_completed, m.was_carried_over, m.done_at, m.points_at_start, m.points_at_end
FROM sprints_sprint_issues AS m;
COMMENT ON VIEW sprintscope.sprint_issues IS 'Which issues were in which sprint, from when to when, and what became of them there.';
COMMENT ON COLUMN sprintscope.sprint_issues.sprint_id IS 'The sprint (sprints.sprint_id).';
COMMENT ON COLUMN sprintscope.sprint_issues.issue_id IS 'The issue (issues.issue_id).';
COMMENT ON COLUMN sprintscope.sprint_issues.added_at IS 'When the issue was put into the sprint.';
COMMENT ON COLUMN sprintscope.sprint_issues.removed_at IS 'When it was taken out; null where it stayed.';
COMMENT ON COLUMN sprintscope.sprint_issues.was_committed IS 'It was in the sprint when the sprint was started.';
COMMENT ON COLUMN sprintscope.sprint_issues.was_added_after_start IS 'It was added while the sprint ran.';
COMMENT ON COLUMN sprintscope.sprint_issues.was_removed IS 'It was taken out while the sprint ran.';
COMMENT ON COLUMN sprintscope.sprint_issues.was_completed IS 'It was done in the sprint, and still when that was closed.';
COMMENT ON COLUMN sprintscope.sprint_issues.was_carried_over IS 'It was left unfinished when the sprint was closed.';
COMMENT ON COLUMN sprintscope.sprint_issues.done_at IS 'When it was done, as seen at the end of its stay; null if not.';
COMMENT ON COLUMN sprintscope.sprint_issues.points_at_start IS 'Story points when the sprint began, or when it was added.';
COMMENT ON COLUMN sprintscope.sprint_issues.points_at_end IS 'Story points when the sprint was closed, or it was removed, or now.';

CREATE VIEW sprintscope.sprint_summary AS
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
         AS unestimated_issues
FROM sprints_sprints AS p LEFT JOIN sprints_sprint_issues AS m USING (sprint_id)
GROUP BY p.sprint_id;
COMMENT ON VIEW sprintscope.sprint_summary IS 'What each sprint came to. completed_points of closed sprints is the velocity.';
COMMENT ON COLUMN sprintscope.sprint_summary.sprint_id IS 'The sprint (sprints.sprint_id).';
COMMENT ON COLUMN sprintscope.sprint_summary.sprint_name IS 'Its name.';
COMMENT ON COLUMN sprintscope.sprint_summary.team_id IS 'Its team (teams.team_id).';
COMMENT ON COLUMN sprintscope.sprint_summary.state IS 'future, active or closed.';
COMMENT ON COLUMN sprintscope.sprint_summary.started_at IS 'When it was started.';
COMMENT ON COLUMN sprintscope.sprint_summary.completed_at IS 'When it was closed.';
COMMENT ON COLUMN sprintscope.sprint_summary.committed_issues IS 'Issues in it at the start.';
COMMENT ON COLUMN sprintscope.sprint_summary.committed_points IS 'Their story points then.';
COMMENT ON COLUMN sprintscope.sprint_summary.completed_issues IS 'Issues done in it.';
COMMENT ON COLUMN sprintscope.sprint_summary.completed_points IS 'Their story points: the velocity of a closed sprint.';
COMMENT ON COLUMN sprintscope.sprint_summary.added_issues IS 'Issues added after the start.';
COMMENT ON COLUMN sprintscope.sprint_summary.added_points IS 'Their story points when they were added.';
COMMENT ON COLUMN sprintscope.sprint_summary.removed_issues IS 'Issues taken out after the start.';
COMMENT ON COLUMN sprintscope.sprint_summary.removed_points IS 'Their story points when they were taken out.';
COMMENT ON COLUMN sprintscope.sprint_summary.carried_over_issues IS 'Issues left unfinished at its close.';
COMMENT ON COLUMN sprintscope.sprint_summary.carried_over_points IS 'Their story points then.';
COMMENT ON COLUMN sprintscope.sprint_summary.unestimated_issues IS 'Issues in it without story points.';

CREATE VIEW sprintscope.sprint_days AS
SELECT p.sprint_id, days.day::date AS day, total.scope_issues, total.scope_points, total.completed_issues,
       total.completed_points, total.scope_issues - total.completed_issues AS remaining_issues,
       total.scope_points - total.completed_points AS remaining_points
FROM sprints_sprints AS p
JOIN sprints_organisations AS o USING (organisation_id)
CROSS JOIN LATERAL generate_series(
  date_trunc('day', p.started_at AT TIME ZONE 'UTC'),
  least(coalesce(p.completed_at, greatest(o.data_as_of, p.started_at)), p.started_at + '400 days'::interval)
    AT TIME ZONE 'UTC',
  '1 day'::interval
) AS days (day)
CROSS JOIN LATERAL (
  SELECT least((days.day + '1 day'::interval) AT TIME ZONE 'UTC', p.completed_at) AS until
) AS bound
CROSS JOIN LATERAL (
  SELECT count(*) AS scope_issues, coalesce(sum(stay.points), 0) AS scope_points,
         count(*) FILTER (WHERE stay.is_done) AS completed_issues,
         coalesce(sum(stay.points) FILTER (WHERE stay.is_done), 0) AS completed_points
  FROM (
    SELECT coalesce(m.done_at <= bound.until, false) AS is_done,
           coalesce((SELECT coalesce(c.to_points, 0) FROM sprints_points_changes AS c
                     WHERE c.issue_id = m.issue_id AND c.changed_at > greatest(p.started_at, m.added_at)
                       AND c.changed_at <= bound.until
                     ORDER BY c.changed_at DESC, c.id DESC LIMIT 1), m.points_at_start) AS points
    FROM sprints_sprint_issues AS m
    WHERE m.sprint_id = p.sprint_id AND m.added_at <= bound.until
      AND (m.removed_at IS NULL OR m.removed_at > bound.until)
  ) AS stay
) AS total
WHERE p.started_at IS NOT NULL;
COMMENT ON VIEW sprintscope.sprint_days IS
  'The burndown: how each day of a sprint ended. Ask for one sprint_id; days begin and end at midnight UTC.';
COMMENT ON COLUMN sprintscope.sprint_days.sprint_id IS 'The sprint (sprints.sprint_id).';
COMMENT ON COLUMN sprintscope.sprint_days.day IS 'The day.';
COMMENT ON COLUMN sprintscope.sprint_days.scope_issues IS 'Issues in the sprint at the end of the day.';
COMMENT ON COLUMN sprintscope.sprint_days.scope_points IS 'Their story points.';
COMMENT ON COLUMN sprintscope.sprint_days.completed_issues IS 'Of them, done by the end of the day.';
COMMENT ON COLUMN sprintscope.sprint_days.completed_points IS 'Story points done by the end of the day.';
COMMENT ON COLUMN sprintscope.sprint_days.remaining_issues IS 'Issues not yet done.';
COMMENT ON COLUMN sprintscope.sprint_days.remaining_points IS 'Story points not yet done: the burndown''s line.';

CREATE VIEW sprintscope.scope_changes AS
SELECT m.sprint_id, m.issue_id, m.added_at AS changed_at, 'added' AS change,
       coalesce(m.points_at_start, 0) AS points_change
FROM sprints_sprint_issues AS m WHERE m.was_added_after_start
UNION ALL
SELECT m.sprint_id, m.issue_id, m.removed_at, 'removed', -coalesce(m.points_at_end, 0)
FROM sprints_sprint_issues AS m WHERE m.was_removed
UNION ALL
SELECT m.sprint_id, m.issue_id, c.changed_at, 're-estimated', coalesce(c.to_points, 0) - coalesce(c.from_points, 0)
FROM sprints_sprint_issues AS m
JOIN sprints_sprints AS p USING (sprint_id)
JOIN sprints_points_changes AS c USING (issue_id)
WHERE c.changed_at > greatest(p.started_at, m.added_at) AND p.started_at IS NOT NULL
  AND c.changed_at <= least(p.completed_at, m.removed_at, 'infinity');
COMMENT ON VIEW sprintscope.scope_changes IS 'What changed a sprint''s scope while it ran.';
COMMENT ON COLUMN sprintscope.scope_changes.sprint_id IS 'The sprint (sprints.sprint_id).';
COMMENT ON COLUMN sprintscope.scope_changes.issue_id IS 'The issue (issues.issue_id).';
COMMENT ON COLUMN sprintscope.scope_changes.changed_at IS 'When.';
COMMENT ON COLUMN sprintscope.scope_changes.change IS 'added, removed or re-estimated.';
COMMENT ON COLUMN sprintscope.scope_changes.points_change IS 'By how many story points the scope grew; negative: shrank.';

CREATE VIEW sprintscope.status_changes AS
SELECT c.issue_id, c.changed_at, f.status_name::text AS from_status, t.status_name::text AS to_status,
       f.status_category::text AS from_category, t.status_category::text AS to_category, c.changed_by_id
FROM sprints_status_changes AS c
JOIN sprints_statuses AS t ON t.status_id = c.to_status_id
LEFT JOIN sprints_statuses AS f ON f.status_id = c.from_status_id;
COMMENT ON VIEW sprintscope.status_changes IS 'Every move of an issue from one status to another.';
COMMENT ON COLUMN sprintscope.status_changes.issue_id IS 'The issue (issues.issue_id).';
COMMENT ON COLUMN sprintscope.status_changes.changed_at IS 'When.';
COMMENT ON COLUMN sprintscope.status_changes.from_status IS 'Status before; null where not known.';
COMMENT ON COLUMN sprintscope.status_changes.to_status IS 'Status after.';
COMMENT ON COLUMN sprintscope.status_changes.from_category IS 'Category before: To Do, In Progress or Done.';
COMMENT ON COLUMN sprintscope.status_changes.to_category IS 'Category after: To Do, In Progress or Done.';
COMMENT ON COLUMN sprintscope.status_changes.changed_by_id IS 'Who moved it, if known (users.user_id).';

CREATE VIEW sprintscope.points_changes AS
SELECT issue_id, changed_at, from_points, to_points, changed_by_id FROM sprints_points_changes;
COMMENT ON VIEW sprintscope.points_changes IS 'Every new estimate in story points.';
COMMENT ON COLUMN sprintscope.points_changes.issue_id IS 'The issue (issues.issue_id).';
COMMENT ON COLUMN sprintscope.points_changes.changed_at IS 'When.';
COMMENT ON COLUMN sprintscope.points_changes.from_points IS 'Story points before; null: not estimated.';
COMMENT ON COLUMN sprintscope.points_changes.to_points IS 'Story points after; null: no longer estimated.';
COMMENT ON COLUMN sprintscope.points_changes.changed_by_id IS 'Who estimated, if known (users.user_id).';

CREATE VIEW sprintscope.blocked_periods AS
SELECT issue_id, blocked_at, unblocked_at, reason::text FROM sprints_blocked_periods;
COMMENT ON VIEW sprintscope.blocked_periods IS 'When issues were flagged as blocked.';
COMMENT ON COLUMN sprintscope.blocked_periods.issue_id IS 'The issue (issues.issue_id).';
COMMENT ON COLUMN sprintscope.blocked_periods.blocked_at IS 'Since when.';
COMMENT ON COLUMN sprintscope.blocked_periods.unblocked_at IS 'Until when; null while it lasts.';
COMMENT ON COLUMN sprintscope.blocked_periods.reason IS 'Why, if it was said; else empty.';

CREATE VIEW sprintscope.issue_links AS
SELECT issue_id, link_type::text, linked_issue_id FROM sprints_issue_links;
COMMENT ON VIEW sprintscope.issue_links IS 'Links between issues; "blocks" says what holds up what.';
COMMENT ON COLUMN sprintscope.issue_links.issue_id IS 'The issue that the link goes from (issues.issue_id).';
COMMENT ON COLUMN sprintscope.issue_links.link_type IS 'As it reads from the first to the second: blocks, relates to ...';
COMMENT ON COLUMN sprintscope.issue_links.linked_issue_id IS 'The issue that it goes to (issues.issue_id).';

CREATE VIEW sprintscope.snapshot AS
SELECT max(data_as_of) AS as_of FROM sprints_organisations;
COMMENT ON VIEW sprintscope.snapshot IS 'One row: up to when the data tells. Ages of open work are counted to it, not to now().';
COMMENT ON COLUMN sprintscope.snapshot.as_of IS 'The latest moment that the data tells of.';
