"""Model names, which are no employeeIds.

"`employeeId` is the sole identifier used everywhere. Do NOT substitute model id or model name."
"""

import re
from typing import Final

from palaver.model.names import short

# Families of models, alone or with a version or a size: `claude`, `gpt-5`, `gemini-2.5-pro`, `o3-mini`.
# A name that continues with something else, as `claude-research-1`, is an id.
_FAMILIES: Final = (
    "claude|codex|copilot|deepseek|gemini|gemma|glm|gpt|grok|haiku|kimi|llama|mistral|mixtral|opus|phi|qwen"
    "|sonnet"
)
_VERSION: Final = (
    r"[rv]?[0-9][0-9.]*[a-z]{0,2}|opus|sonnet|haiku|fable|pro|flash|lite|mini|nano|max|ultra|turbo|large|small"
    r"|medium|coder|codex|instruct|preview|latest|chat|code|cli|exp|thinking|reasoner"
)
_MODEL: Final = re.compile(
    rf"(?:(?:{_FAMILIES})[0-9.]*(?:[-_.]?(?:{_VERSION}))*|o[134](?:-(?:mini|pro|preview))?|model-[a-z0-9-]+)"
)
#: The way out for a name that has to be replaced.
USE_ID: Final = "use the employeeId of the role card, like emp-copilot-a3f2"


def is_model_name(name: str) -> bool:
    """Return True if a name is that of a model."""
    return _MODEL.fullmatch(short(name)) is not None
