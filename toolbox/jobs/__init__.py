"""
Work that a person starts in the admin and a worker does: a row with a heartbeat and progress.

The row is the truth about it, not the broker's message: `attempt` is the fence, as with runs of conversations. What a
job does must be safe to do again from its beginning, because that is what becomes of it when its worker ends.
"""
