"""The tokens that are taken beside API keys; imported at start, when the apps are there."""

from toolbox.access.keys import register_validators
from toolbox.oauth.external_jwt import OutsideTokens
from toolbox.oauth.own_tokens import OwnTokens

outside = OutsideTokens()
register_validators([outside, OwnTokens()])
