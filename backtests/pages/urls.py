"""URLs of the pages at /backtests/."""

from django.urls import path

from backtests.pages import engines, exports, runs, sweeps, trades

app_name = "backtests"
urlpatterns = [
    path("", runs.runs, name="runs"),
    path("compare/", runs.compare, name="compare"),
    path("engines/", engines.engines, name="engines"),
    path("sweeps/", sweeps.sweeps, name="sweeps"),
    path("sweeps/ranking.<str:kind>", exports.export_ranking, name="export_ranking"),
    path("runs/<uuid:run_id>/", runs.run, name="run"),
    path("runs/<uuid:run_id>/trades/", trades.trades, name="trades"),
    path("runs/<uuid:run_id>/trades.<str:kind>", exports.export_trades, name="export_trades"),
    path("runs/<uuid:run_id>/days.<str:kind>", exports.export_days, name="export_days"),
    path("runs/<uuid:run_id>/attribution/", trades.attribution, name="attribution"),
    path("runs/<uuid:run_id>/events/<uuid:event_id>/", runs.event, name="event"),
]
