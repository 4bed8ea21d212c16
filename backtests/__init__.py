"""What a trading strategy did in a backtest, event by event."""
