"""The settings that a mount of every dialect may have; the others are in the spec of its dialect."""

from typing import Final

from palaver.model.spec import Setting, SettingKind

#: Settings of the policy that a mount may override, for what comes from it or happens there.
MOUNT_POLICY: Final = (
    Setting(
        "identity",
        "as in the policy, for what comes from this mount: `open` or `strict`",
        SettingKind.CHOICE,
        ("open", "strict"),
    ),
    Setting(
        "approval",
        "as in the policy, for tasks that this mount is the first to name",
        SettingKind.CHOICE,
        ("true", "false"),
    ),
    Setting(
        "parallel",
        "as in the policy, for claims that come from this mount, and tasks for who lives there",
        SettingKind.CHOICE,
        ("true", "false"),
    ),
    Setting("lease", "as in the policy, for tasks that this mount is the first to name", SettingKind.SECONDS),
    Setting(
        "talk",
        "as in the policy, for tasks for who lives there; some dialects refuse them by default",
        SettingKind.CHOICE,
        ("refuse", "report", "ignore"),
    ),
)
#: What a mount of every dialect may say.
MOUNT_SETTINGS: Final = (
    Setting("dialect", "the protocol"),
    Setting("path", "the folder, from the one that holds `.palaver` if it is not absolute; `~` is your home"),
    Setting(
        "prefix",
        "what its names are called by elsewhere: with `t2`, programmer is `t2/programmer`",
        SettingKind.NAME,
    ),
    Setting("agents", "who lives there without having said anything yet, as a list", SettingKind.NAMES),
    *MOUNT_POLICY,
)
