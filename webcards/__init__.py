"""Web Cards: the two web tools of an agent, and the structured result that a card is drawn from."""

__version__ = "0.1.0"
