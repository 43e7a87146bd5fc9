"""Projects with a bus, and users with a home folder of their own. Everything is done by real commands."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from tests.cli.spoken import Answer, Shell, surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A folder with a bus, and a user in it."""

    shell: Shell

    @property
    def folder(self) -> Path:
        return self.shell.folder

    @property
    def bus(self) -> Path:
        return self.folder / ".palaver"

    @property
    def config(self) -> Path:
        return self.bus / "config.toml"

    def run(self, *words: str) -> Answer:
        return self.shell.run(*words)

    def must(self, *words: str) -> Answer:
        """Run a command that is not what the test is about."""
        answer = self.shell.run(*words)
        if answer.code:
            raise RuntimeError(f"{words} failed: {answer}")
        return answer

    def configure(self, text: str) -> None:
        self.config.write_text(self.config.read_text() + text)

    def with_env(self, **more: str) -> "Project":
        return Project(shell=self.shell.with_env(**more))

    def at(self, folder: Path) -> "Project":
        return Project(shell=self.shell.at(folder))

    def content(self) -> dict[str, str]:
        """Return every file of the project with the digest of its content."""
        found = {}
        for place, _, files in os.walk(self.folder):
            for name in files:
                path = Path(place, name)
                found[str(path)] = (
                    hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "special"
                )
        return found


def user_at(folder: Path, home: Path) -> Project:
    """Return a user who stands in a folder; their records and their config are in their home."""
    kept = {name: value for name, value in surroundings().items() if not name.startswith("XDG_")}
    return Project(shell=Shell(folder=folder, env={**kept, "HOME": str(home)}))


def foreign_project(tmp_path: Path, home: Path, name: str = "cloned") -> Project:
    """Return a project that came with the bus of somebody else, who had another home folder."""
    folder = tmp_path / name
    folder.mkdir()
    stranger = user_at(folder, tmp_path / f"{name}-stranger")
    stranger.must("init", "--person", "eve")
    stranger.must("agents", "add", "bob", "ada", "--as", "eve")
    stranger.must("send", "bob", "-m", "hello", "--as", "eve")
    return user_at(folder, home)


def write_user_config(home: Path, text: str) -> Path:
    """Write the user's own config."""
    path = home / ".config/palaver/config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
