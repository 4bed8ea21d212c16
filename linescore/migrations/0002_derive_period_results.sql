-- Every period from both sides. In period 3, goals into an empty net are left out of the outcome, those of both
-- sides, so that the two outcomes always mirror each other.
CREATE VIEW linescore_sides AS
WITH side AS (
  SELECT
    g.game_id, g.game_date, g.season, g.home_team_code, g.away_team_code, p.period_number,
    s.team_code, s.goals_for, s.goals_against, s.empty_net_goals,
    CASE sign(
      s.goals_for - s.goals_against
      - CASE WHEN p.period_number = 3 THEN s.empty_net_goals - s.empty_net_goals_against ELSE 0 END
    )
      WHEN 1 THEN 'WIN'
      WHEN -1 THEN 'LOSS'
      ELSE 'TIE'
    END AS period_outcome
  FROM linescore_periods AS p
  JOIN linescore_games AS g USING (game_id)
  CROSS JOIN LATERAL (
    VALUES
      (g.home_team_code, p.home_goals, p.away_goals, p.home_empty_net_goals, p.away_empty_net_goals),
      (g.away_team_code, p.away_goals, p.home_goals, p.away_empty_net_goals, p.home_empty_net_goals)
  ) AS s (team_code, goals_for, goals_against, empty_net_goals, empty_net_goals_against)
)
SELECT
  side.*,
  count(*) FILTER (WHERE period_outcome = 'WIN' AND period_number <= 3) OVER (PARTITION BY game_id, team_code) >= 2
    AS won_two_plus_reg_periods
FROM side;

-- Bring the results of some games in line with what happened. Rows that stay keep their id.
CREATE FUNCTION linescore_derive(games bigint[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM linescore_period_results AS r
  WHERE r.game_id = ANY (games)
    AND NOT EXISTS (
      SELECT FROM linescore_periods AS p
      JOIN linescore_games AS g USING (game_id)
      WHERE p.game_id = r.game_id
        AND p.period_number = r.period_number
        AND r.team_code IN (g.home_team_code, g.away_team_code)
    );

  INSERT INTO linescore_period_results AS r (
    game_id, team_code, period_number, goals_for, goals_against, empty_net_goals, period_outcome,
    won_two_plus_reg_periods, game_date, season, home_team_code, away_team_code
  )
  SELECT
    game_id, team_code, period_number, goals_for, goals_against, empty_net_goals, period_outcome,
    won_two_plus_reg_periods, game_date, season, home_team_code, away_team_code
  FROM linescore_sides
  WHERE game_id = ANY (games)
  ON CONFLICT (game_id, team_code, period_number) DO UPDATE SET
    goals_for = excluded.goals_for,
    goals_against = excluded.goals_against,
    empty_net_goals = excluded.empty_net_goals,
    period_outcome = excluded.period_outcome,
    won_two_plus_reg_periods = excluded.won_two_plus_reg_periods,
    game_date = excluded.game_date,
    season = excluded.season,
    home_team_code = excluded.home_team_code,
    away_team_code = excluded.away_team_code
  WHERE (
    r.goals_for, r.goals_against, r.empty_net_goals, r.period_outcome, r.won_two_plus_reg_periods, r.game_date,
    r.season, r.home_team_code, r.away_team_code
  ) IS DISTINCT FROM (
    excluded.goals_for, excluded.goals_against, excluded.empty_net_goals, excluded.period_outcome,
    excluded.won_two_plus_reg_periods, excluded.game_date, excluded.season, excluded.home_team_code,
    excluded.away_team_code
  );
$$;

-- Once a statement, for every game that it touched.
CREATE FUNCTION linescore_on_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  games bigint[];
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN SELECT array_agg(DISTINCT game_id) INTO games FROM after;
    WHEN 'DELETE' THEN SELECT array_agg(DISTINCT game_id) INTO games FROM before;
    ELSE SELECT array_agg(DISTINCT game_id) INTO games
      FROM (SELECT game_id FROM before UNION SELECT game_id FROM after) AS touched;
  END CASE;
  -- Whoever else writes periods of these games waits here, and then derives from what it finds committed; without it,
  -- two corrections at once would each write back what the other's periods were before.
  PERFORM FROM linescore_games WHERE game_id = ANY (games) ORDER BY game_id FOR NO KEY UPDATE;
  PERFORM linescore_derive(games);
  RETURN NULL;
END
$$;

CREATE TRIGGER linescore_periods_added AFTER INSERT ON linescore_periods
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION linescore_on_change();
CREATE TRIGGER linescore_periods_changed AFTER UPDATE ON linescore_periods
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION linescore_on_change();
CREATE TRIGGER linescore_periods_removed AFTER DELETE ON linescore_periods
  REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION linescore_on_change();
CREATE TRIGGER linescore_games_changed AFTER UPDATE ON linescore_games
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION linescore_on_change();
