"""
Former clubs by the NHL's codes, with the seasons in which they played under that name.

The source is the league's own records. Two clubs share a name with a current club; their names have the year in
which they began.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Franchise:
    """A former club or former name of a club; both seasons are inclusive."""

    team_name: str
    city: str
    first_season: str
    last_season: str

    def __str__(self) -> str:
        return f"{self.team_name}, {self.first_season} to {self.last_season}"

    def has_season(self, season: str) -> bool:
        """Return whether the club played in a season."""
        return self.first_season <= season <= self.last_season


def _franchise(team_name: str, *, city: str, first: int, last: int) -> Franchise:
    return Franchise(
        team_name=team_name, city=city, first_season=f"{first}-{first + 1}", last_season=f"{last}-{last + 1}"
    )


FRANCHISES = {
    "AFM": _franchise("Atlanta Flames", city="Atlanta", first=1972, last=1979),
    "ARI": _franchise("Arizona Coyotes", city="Glendale", first=2014, last=2023),
    "ATL": _franchise("Atlanta Thrashers", city="Atlanta", first=1999, last=2010),
    "BRK": _franchise("Brooklyn Americans", city="New York", first=1941, last=1941),
    "CGS": _franchise("California Golden Seals", city="Oakland", first=1970, last=1975),
    "CLE": _franchise("Cleveland Barons", city="Cleveland", first=1976, last=1977),
    "CLR": _franchise("Colorado Rockies", city="Denver", first=1976, last=1981),
    "DCG": _franchise("Detroit Cougars", city="Detroit", first=1926, last=1929),
    "DFL": _franchise("Detroit Falcons", city="Detroit", first=1930, last=1931),
    "HAM": _franchise("Hamilton Tigers", city="Hamilton", first=1920, last=1924),
    "HFD": _franchise("Hartford Whalers", city="Hartford", first=1979, last=1996),
    "KCS": _franchise("Kansas City Scouts", city="Kansas City", first=1974, last=1975),
    "MMR": _franchise("Montreal Maroons", city="Montreal", first=1924, last=1937),
    "MNS": _franchise("Minnesota North Stars", city="Bloomington", first=1967, last=1992),
    "MWN": _franchise("Montreal Wanderers", city="Montreal", first=1917, last=1917),
    "NYA": _franchise("New York Americans", city="New York", first=1925, last=1940),
    "OAK": _franchise("Oakland Seals", city="Oakland", first=1967, last=1969),
    "PHX": _franchise("Phoenix Coyotes", city="Glendale", first=1996, last=2013),
    "PIR": _franchise("Pittsburgh Pirates", city="Pittsburgh", first=1925, last=1929),
    "QBD": _franchise("Quebec Bulldogs", city="Quebec", first=1919, last=1919),
    "QUA": _franchise("Philadelphia Quakers", city="Philadelphia", first=1930, last=1930),
    "QUE": _franchise("Quebec Nordiques", city="Quebec", first=1979, last=1994),
    "SEN": _franchise("Ottawa Senators (1917)", city="Ottawa", first=1917, last=1933),
    "SLE": _franchise("St. Louis Eagles", city="St. Louis", first=1934, last=1934),
    "TAN": _franchise("Toronto Arenas", city="Toronto", first=1917, last=1918),
    "TSP": _franchise("Toronto St. Patricks", city="Toronto", first=1919, last=1926),
    "WIN": _franchise("Winnipeg Jets (1979)", city="Winnipeg", first=1979, last=1995),
}
"""Former clubs by code."""
