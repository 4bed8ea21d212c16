"""Conversations, and the scripted model server that drives them."""
