"""The conversation with the daemon, as any program of this user could have it."""

import os
from pathlib import Path

from palaver.daemon.command_folder import find_requests


class Conversation:
    """One command that is handed to the daemon of a bus."""

    def __init__(self, folder: Path) -> None:
        self._project = folder
        self.requests = Path(find_requests(str(folder / ".palaver")))
        self.folder = self.requests.parent
        self.id = ""
        self._reply = -1

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(self, *_: object) -> None:
        if self._reply >= 0:
            os.close(self._reply)

    def file(self, kind: str) -> Path:
        """Return a file of this command."""
        return self.folder / f"{self.id}.{kind}"

    def fields(self, *words: str, agent: str = "ada") -> bytes:
        """Return a command as the daemon reads it."""
        names = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
        variables = [f"PALAVER_AGENT={agent}", "", *(f"{each}={os.environ[each]}" for each in names)]
        fields = [str(self._project), "---", f"/proc/{os.getpid()}/fd/1", *variables, "--", *words]
        return "".join(f"{each}\0" for each in fields).encode()

    def take(self, content: bytes) -> None:
        """Take an id, and write the command."""
        for pipe in sorted(self.folder.glob("*.reply")):
            self.id = pipe.stem
            try:
                with self.file("request").open("xb") as file:
                    file.write(content)
                self._reply = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
            except (FileExistsError, FileNotFoundError):
                continue
            os.set_blocking(self._reply, True)
            return
        raise AssertionError("the daemon has no pipe left")

    def poke(self) -> None:
        """Tell the daemon."""
        self.requests.write_text(f"{self.id}\n")

    def hand_over(self, content: bytes) -> None:
        """Hand a command over."""
        self.take(content)
        self.poke()

    def rest(self) -> str:
        """Return all that the daemon says until it ends the conversation, or has answered."""
        said = ""
        while piece := os.read(self._reply, 1_000).decode():
            said += piece
            if "done" in said or "cold" in said:
                break
        return said

    def run(self, *words: str, agent: str = "ada") -> tuple[int, str]:
        """Run a command to its end; return its exit code, and the assignment that shows its output."""
        self.hand_over(self.fields(*words, agent=agent))
        text = ""
        with open(self._reply, closefd=False) as said:
            for line in said:
                word, _, rest = line.partition(" ")
                if word == "line":
                    text += f"_out='{rest}' _err=''\n"
                elif word == "text\n":
                    text += self.file("text").read_text()
                elif word == "part\n":
                    self.file("continue").write_text("\n")
                elif word == "done":
                    return int(rest), text
        raise AssertionError("the daemon ended the conversation")


def run(folder: Path, *words: str, agent: str = "ada") -> tuple[int, str]:
    """Run one command in the daemon; return its exit code, and the assignment that shows its output."""
    with Conversation(folder) as conversation:
        return conversation.run(*words, agent=agent)
