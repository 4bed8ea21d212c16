"""What questions about code name."""

from toolbox.slots import Slot

SLOTS: tuple[Slot, ...] = ()
