"""The Python API, and the table of operations: what can be asked of a bus."""

from typing import Final

from palaver.bus.identity import vouch_by_token
from palaver.bus.mail import conversations as talk
from palaver.bus.mail import mail_wait, mailbox
from palaver.bus.mail import send_operations as mail
from palaver.bus.operations import admin_operations as admin
from palaver.bus.operations import task_operations as work
from palaver.bus.operations.operation import Operation
from palaver.bus.root import Root
from palaver.bus.session import Session
from palaver.supervision import run_operations as run
from palaver.sync import sync_operations as files
from palaver.sync.mounts import mount_operations as mount
from palaver.wiring import open_session


class Bus:
    """One bus, used by one process; `agent` acts where no other agent is named.

    from palaver import Bus

    bus = Bus(agent="ada")
    bus.send("bob", "The parser is ready.")
    """

    def __init__(self, root: str = "", *, agent: str = "", session: Session | None = None) -> None:
        """Find the bus: at `root`, else at PALAVER_ROOT, else here or above; or take an open session."""
        self.session = session or open_session(root, agent=agent)
        if session is None:
            vouch_by_token(self.session)

    @property
    def root(self) -> Root:
        """Return the paths of the bus."""
        return self.session.root

    @property
    def agent(self) -> str:
        """Return the agent that acts where no other is named."""
        return self.session.agent

    # Mail
    send = mail.send
    send_many = mail.send_many
    reply = mail.reply
    resend = mail.resend
    withdraw = mailbox.withdraw
    inbox = mailbox.list_inbox
    read = mailbox.read
    ack = mailbox.acknowledge
    archive = mailbox.archive
    wait = mail_wait.wait_for_mail
    wait_for = mail_wait.wait_for_stage
    thread = talk.thread
    search = talk.search_messages

    # Tasks
    open_task = work.open_task
    change_task = work.change_task
    move = work.move
    claim = work.claim
    deliver = work.deliver
    task = work.task
    tried = work.tried
    tasks = work.tasks
    tasks_with = work.tasks_with
    board = work.board
    life = work.life
    waiting = work.waiting
    assignment = work.assignment
    assign = work.assign
    clear_assignment = work.clear_assignment
    dispatch = work.dispatch
    handoff = work.handoff
    prime = work.prime
    round = work.round

    # Events
    event = admin.event
    events = admin.events
    follow = admin.follow
    browse = admin.browse
    conversations = talk.conversations
    exported = admin.exported

    # The dashboard
    picture = admin.picture
    touched = admin.touched
    cards_changed = admin.cards_changed
    insight = admin.insight
    stats = admin.stats

    # Agents and lists
    agents = admin.agents
    add_agent = admin.add_agent
    retire_agent = admin.retire_agent
    lists = admin.lists
    set_list = admin.set_list

    # Mounts
    mounts = mount.mounts
    add_mount = mount.add_mount
    remove_mount = mount.remove_mount
    sync = files.sync
    sync_status = files.sync_status

    # Programs and supervision
    runs = run.runs
    run_parts = run.run_parts
    run_output = run.run_output
    kill_run = run.kill_run
    health = run.health
    patrol = run.patrol

    # Administration
    verify = admin.verify
    size = admin.size
    rebuild = admin.rebuild
    doctor = admin.doctor
    quarantine = admin.quarantine
    quarantine_count = admin.quarantine_count
    quarantined = admin.quarantined
    retry = admin.retry
    snapshot = admin.snapshot
    redact = admin.redact


OPERATIONS: Final = {name: value for name, value in vars(Bus).items() if isinstance(value, Operation)}
