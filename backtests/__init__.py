"""Events of trading strategies' backtests: storage, queries, results."""
