"""Tests of backtests."""
