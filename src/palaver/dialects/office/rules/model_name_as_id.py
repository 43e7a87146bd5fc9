"""OFF105 model-name-as-id: a model name is used as an employeeId.

Why: "employeeId is the sole identifier used everywhere. Do NOT substitute model id or model name." Two
employees may run on one model, and one employee may change models: such a name is ambiguous.

Bad (messages/employee-gpt-5.log):

    [2026-02-11T10:20:00Z] [INFO] by: gpt-5 | I take the footer.

Good (messages/employee-emp-gpt-4c1d.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-gpt-4c1d | I take the footer.
"""

import re
from typing import Final

from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.names import short

# Families of models, alone or with a version or a size: `claude`, `gpt-5`, `gemini-2.5-pro`, `o3-mini`.
# A name that continues with something else, as `claude-research-1`, is an id.
_FAMILIES: Final = "claude|codex|copilot|deepseek|gemini|gemma|glm|gpt|grok|haiku|kimi|llama|mistral|mixtral|opus|phi|qwen|sonnet"
_VERSION: Final = (
    r"[rv]?[0-9][0-9.]*[a-z]{0,2}|opus|sonnet|haiku|fable|pro|flash|lite|mini|nano|max|ultra|turbo|large|small|medium"
    r"|coder|codex|instruct|preview|latest|chat|code|cli|exp|thinking|reasoner"
)
_MODEL: Final = re.compile(
    rf"(?:(?:{_FAMILIES})[0-9.]*(?:[-_.]?(?:{_VERSION}))*|o[134](?:-(?:mini|pro|preview))?|model-[a-z0-9-]+)"
)


def check(file: CheckedFile) -> Violations:
    for each in file.messages():
        for name in dict.fromkeys((each.message.sender, *each.message.to)):
            if _MODEL.fullmatch(short(name)):
                fix = "use the employeeId of the role card, like emp-copilot-a3f2"
                yield each.violation(f"{name} is a model name, not an employeeId", fix)
