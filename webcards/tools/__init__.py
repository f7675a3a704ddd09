"""The two tools and the registry that runs them."""

from webcards.tools.registry import Execution, Registry, execution_json
from webcards.tools.tool import Outcome, Progress, Tool

__all__ = ["Execution", "Outcome", "Progress", "Registry", "Tool", "execution_json"]
