"""The git repository that a run works in: hooks, worktrees, and what changed."""
