"""The tokens that are taken beside API keys; imported at start, when the apps are there."""

from toolbox.keys import read_also
from toolbox.oauth.outside import OutsideTokens
from toolbox.oauth.own import OwnTokens

outside = OutsideTokens()
read_also([outside, OwnTokens()])
