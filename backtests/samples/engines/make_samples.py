"""
Make the samples here with the engines themselves: `python make_samples.py`, where they are installed.

backtesting 0.6.6, backtrader 1.9.78.123, vectorbt 1.2.0 and zipline-reloaded 3.0.4 trade the daily bars of the run that
ships. All hold AAPL while its average of 10 days is above that of 30.
"""

# It runs where the engines are installed; the project's checks do not cover it.
# mypy: ignore-errors
# ruff: noqa: ARG001, D103, E501, PLC0415, PLR0917, SLF001

import gzip
import json
import sys
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
SYMBOL, FAST, SLOW, CASH = "AAPL.NASDAQ", 10, 30, 100_000


def read_bars() -> pd.DataFrame:
    rows = {}
    with gzip.open(HERE.parent / "sma_pullback_2011_2012.jsonl.gz", "rt") as lines:
        for line in lines:
            event = json.loads(line)
            said = event.get("properties", {})
            if event.get("eventType") == "MarketDataEvent" and said["SecuritySymbol"] == SYMBOL:
                bar = said["Data"]
                rows[event["timestamp"][:10]] = [bar[name] for name in ("Open", "High", "Low", "Close", "Volume")]
    bars = pd.DataFrame.from_dict(rows, orient="index", columns=["Open", "High", "Low", "Close", "Volume"])
    bars.index = pd.to_datetime(bars.index)
    return bars.astype(float)


def run_backtesting(bars: pd.DataFrame) -> None:
    from backtesting import Backtest, Strategy
    from backtesting.lib import crossover

    class Averages(Strategy):
        def init(self) -> None:
            def average(prices, days):
                return pd.Series(prices).rolling(days).mean()

            self.fast = self.I(average, self.data.Close, FAST)
            self.slow = self.I(average, self.data.Close, SLOW)

        def next(self) -> None:
            if crossover(self.fast, self.slow):
                self.buy(size=50, tag="averages crossed")
            elif crossover(self.slow, self.fast):
                self.position.close()

    test = Backtest(bars, Averages, cash=CASH, commission=0.001, finalize_trades=True)
    stats = test.run()
    stats._trades.to_csv(HERE / "backtesting_trades.csv", index=False)
    stats._equity_curve.to_csv(HERE / "backtesting_equity.csv")
    stats._trades.to_parquet(HERE / "backtesting_trades.parquet")
    keep("backtesting", found={"trades": len(stats._trades), "profit": stats._trades["PnL"].sum(),
                         "equity": stats["Equity Final [$]"], "win_rate": stats["Win Rate [%]"] / 100,
                         "max_drawdown": stats["Max. Drawdown [%]"] / 100, "total_return": stats["Return [%]"] / 100,
                         "sharpe": stats["Sharpe Ratio"], "sortino": stats["Sortino Ratio"],
                         "volatility": stats["Volatility (Ann.) [%]"] / 100, "calmar": stats["Calmar Ratio"],
                         "exposure": stats["Exposure Time [%]"] / 100, "profit_factor": stats["Profit Factor"],
                         "expectancy": stats["Expectancy [%]"] / 100})  # fmt: skip


def run_vectorbt(bars: pd.DataFrame) -> None:
    import vectorbt as vbt

    close = bars["Close"].rename(SYMBOL)
    fast, slow = close.rolling(FAST).mean(), close.rolling(SLOW).mean()
    above = fast > slow
    entries, exits = above & ~above.shift(1, fill_value=False), ~above & above.shift(1, fill_value=False)
    held = vbt.Portfolio.from_signals(close, entries, exits, size=50, fees=0.001, init_cash=CASH, freq="1D")
    held.trades.records_readable.to_csv(HERE / "vectorbt_trades.csv", index=False)
    held.orders.records_readable.to_csv(HERE / "vectorbt_orders.csv", index=False)
    trades = held.trades.records_readable
    closed = held.trades.closed
    keep("vectorbt", found={"profit_factor": float(closed.profit_factor()), "expectancy": float(closed.expectancy()),
                      "trades": len(trades), "orders": len(held.orders.records_readable),
                      "profit": trades.loc[trades["Status"] == "Closed", "PnL"].sum(), "win_rate": float(held.trades.closed.win_rate())})  # fmt: skip


def run_backtrader(bars: pd.DataFrame) -> None:
    import backtrader as bt

    class Averages(bt.Strategy):
        def __init__(self) -> None:
            fast, slow = bt.ind.SMA(period=FAST), bt.ind.SMA(period=SLOW)
            self.crossed = bt.ind.CrossOver(fast, slow)

        def next(self) -> None:
            if self.crossed > 0:
                self.buy(size=50)
            elif self.crossed < 0 and self.position:
                self.close()

    engine = bt.Cerebro()
    engine.adddata(bt.feeds.PandasData(dataname=bars, name=SYMBOL))
    engine.addstrategy(Averages)
    engine.broker.setcash(CASH)
    engine.broker.setcommission(commission=0.001)
    engine.addanalyzer(bt.analyzers.PyFolio, _name="pyfolio")
    engine.addanalyzer(bt.analyzers.TradeAnalyzer, _name="trades")
    engine.addanalyzer(bt.analyzers.DrawDown, _name="drawdown")
    engine.addanalyzer(bt.analyzers.SharpeRatio, _name="sharpe", timeframe=bt.TimeFrame.Days, annualize=True, factor=252,
                       riskfreerate=0, stddev_sample=True)  # fmt: skip
    engine.addwriter(bt.WriterFile, csv=True, out=str(HERE / "backtrader_writer.csv"))
    (ran,) = engine.run()
    returns, _, transactions, _ = ran.analyzers.pyfolio.get_pf_items()
    transactions.to_csv(HERE / "backtrader_transactions.csv")
    returns.to_csv(HERE / "backtrader_returns.csv")
    found = ran.analyzers.trades.get_analysis()
    keep("backtrader", found={"transactions": len(transactions), "closed": found.total.closed,
                        "profit": found.pnl.net.total, "equity": engine.broker.getvalue(),
                        "sharpe": ran.analyzers.sharpe.get_analysis()["sharperatio"],
                        "max_drawdown": -ran.analyzers.drawdown.get_analysis().max.drawdown / 100})  # fmt: skip


def run_zipline(bars: pd.DataFrame) -> None:
    from zipline import run_algorithm
    from zipline.api import order_target, record, set_commission, symbol
    from zipline.data.bundles import ingest, register
    from zipline.finance.commission import PerShare
    from zipline.utils.calendar_utils import get_calendar

    calendar = get_calendar("XNYS")
    sessions = calendar.sessions_in_range(bars.index[0], bars.index[-1])
    used = bars.reindex(sessions).ffill()

    def write(environ, assets, minute, daily, adjustments, cal, start, end, cache, progress, out) -> None:
        lower = used.rename(columns=str.lower)
        daily.write([(0, lower)])
        assets.write(equities=pd.DataFrame({"symbol": [SYMBOL], "asset_name": [SYMBOL], "exchange": ["NYSE"],
            "start_date": [used.index[0]], "end_date": [used.index[-1]],
            "auto_close_date": [used.index[-1] + pd.Timedelta(days=30)]}))  # fmt: skip
        adjustments.write()

    register("sample", write, calendar_name="XNYS")
    ingest("sample", show_progress=False)

    def initialize(context) -> None:
        context.asset = symbol(SYMBOL)
        set_commission(PerShare(cost=0.01))

    def handle_data(context, data) -> None:
        closes = data.history(context.asset, "close", SLOW, "1d")
        above = closes.tail(FAST).mean() > closes.mean()
        order_target(context.asset, 50 if above else 0)
        record(above=bool(above))

    ran = run_algorithm(start=used.index[SLOW], end=used.index[-1], initialize=initialize, capital_base=CASH,
                        handle_data=handle_data, bundle="sample", data_frequency="daily")  # fmt: skip
    ran.to_csv(HERE / "zipline_performance.csv")
    lists = ran.select_dtypes("object").columns  # assets, which Parquet does not know, as text
    ran.assign(**{name: ran[name].map(str) for name in lists}).to_parquet(HERE / "zipline_performance.parquet")
    count = sum(len(day) for day in ran["transactions"])
    keep("zipline", found={"transactions": count, "equity": ran["portfolio_value"].iloc[-1], "days": len(ran),
                     "max_drawdown": ran["max_drawdown"].iloc[-1], "sharpe": ran["sharpe"].iloc[-1],
                     "sortino": ran["sortino"].iloc[-1], "volatility": ran["algo_volatility"].iloc[-1],
                     "total_return": ran["algorithm_period_return"].iloc[-1]})  # fmt: skip


def make_lean(bars: pd.DataFrame) -> None:
    """Write the same trades in Lean's format: Lean itself runs only in containers."""
    close = bars["Close"]
    above = (close.rolling(FAST).mean() > close.rolling(SLOW).mean()).astype(int)
    events, orders, trades, equity, cash, held = [], {}, [], [], float(CASH), 0
    shares, bought = 50, 0.0
    for day, step in above.diff().fillna(0).items():
        price, second = float(close[day]), int(day.timestamp()) + 75_600
        if step:
            number, sign = len(orders) + 1, int(step)
            shared = {"algorithmId": "sample", "orderId": number, "symbol": "AAPL R735QTJ8XC9X", "symbolValue": "AAPL",
                      "time": float(second), "direction": "buy" if sign > 0 else "sell", "quantity": float(sign * shares)}  # fmt: skip
            events.append(shared | {"orderEventId": 1, "status": "submitted", "fillPrice": 0.0, "fillQuantity": 0.0})
            events.append(shared | {"orderEventId": 2, "status": "filled", "fillPrice": price, "orderFeeAmount": 1.0,
                "orderFeeCurrency": "USD", "fillPriceCurrency": "USD", "fillQuantity": float(sign * shares)})  # fmt: skip
            at = pd.Timestamp(second, unit="s").isoformat() + "Z"
            orders[str(number)] = {"id": number, "symbol": {"value": "AAPL"}, "price": price, "priceCurrency": "USD",
                "time": at, "lastFillTime": at, "quantity": float(sign * shares), "status": 3, "direction": 0 if sign > 0 else 1}  # fmt: skip
            cash -= sign * shares * price + 1
            held += sign * shares
            if sign < 0:
                trades.append(
                    {"profitLoss": (price - bought) * shares, "totalFees": 2.0, "orderIds": [number - 1, number]}
                )
            bought = price
        equity.append([second, *[cash + held * price] * 4])
    result = {"rollingWindow": {}, "totalPerformance": {"closedTrades": trades},
              "charts": {"Strategy Equity": {"series": {"Equity": {"values": equity}}}}, "orders": orders,
              "algorithmConfiguration": {"accountCurrency": "USD"}}  # fmt: skip
    (HERE / "lean_result.json").write_text(json.dumps(result))
    (HERE / "lean_order_events.json").write_text(json.dumps(events))
    keep("lean", found={"trades": len(trades), "orders": len(orders), "equity": equity[-1][-1],
                  "profit": sum(trade["profitLoss"] - trade["totalFees"] for trade in trades)})  # fmt: skip


def keep(engine: str, *, found: dict[str, float]) -> None:
    path = HERE / "reported.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known[engine] = {name: float(value) for name, value in found.items()}
    path.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    made = {"backtesting": run_backtesting, "vectorbt": run_vectorbt, "backtrader": run_backtrader,
            "zipline": run_zipline, "lean": make_lean}  # fmt: skip
    for name in sys.argv[1:] or made:
        made[name](read_bars())
