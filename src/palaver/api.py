"""The Python API, and the table of operations: what can be asked of a bus."""

from typing import Final

from palaver.bus.admin import doctor, event_history, maintenance, redact, snapshot
from palaver.bus.admin import quarantine as entries
from palaver.bus.agents import agent_registry, overview
from palaver.bus.config import config_store
from palaver.bus.mail import conversations as talk
from palaver.bus.mail import mail_wait, mailbox
from palaver.bus.mail import send_operations as mail
from palaver.bus.operations.operation import Operation
from palaver.bus.polls import poll as polls
from palaver.bus.root import Root
from palaver.bus.session import Session
from palaver.bus.stats import durations, insights
from palaver.bus.tasks import assignment as assignments
from palaver.bus.tasks import board_view, moves, prime, task_edits, wait_list
from palaver.runs import health_checks, kill, run_output, status
from palaver.supervision import patrol_service
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
    open_task = task_edits.open_task
    change_task = task_edits.change_task
    move = moves.move
    claim = moves.claim
    deliver = moves.deliver
    task = moves.task_card
    tried = moves.tried_on
    tasks = moves.list_tasks
    tasks_with = board_view.with_words
    board = board_view.columns
    life = board_view.life
    waiting = wait_list.list_waits
    assignment = assignments.current
    assign = assignments.assign
    clear_assignment = assignments.clear
    dispatch = assignments.dispatch
    handoff = assignments.handoff
    prime = prime.prime
    poll = polls.poll

    # Events
    event = event_history.find_event
    events = event_history.latest
    follow = event_history.follow
    browse = event_history.browse
    conversations = talk.conversations
    exported = event_history.export

    # The dashboard
    picture = overview.picture
    touched = overview.touched
    cards_changed = board_view.changed
    insight = insights.insights
    stats = durations.stats

    # Agents and lists
    agents = agent_registry.agents
    add_agent = agent_registry.add_agent
    retire_agent = agent_registry.retire_agent
    lists = agent_registry.lists
    set_list = config_store.set_list

    # Mounts
    mounts = mount.mounts
    add_mount = mount.add_mount
    remove_mount = mount.remove_mount
    sync = files.sync
    sync_status = files.sync_status

    # Programs and supervision
    runs = status.runs
    run_parts = status.run_parts
    run_output = run_output.run_output
    kill_run = kill.kill_run
    health = health_checks.health
    patrol = patrol_service.run_patrol

    # Administration
    verify = maintenance.verify
    accept_losses = maintenance.accept_losses
    size = maintenance.size
    rebuild = maintenance.rebuild
    doctor = doctor.examine
    quarantine = entries.items
    quarantine_count = entries.count
    quarantined = entries.item_and_content
    retry = entries.retry
    snapshot = snapshot.snapshot
    redact = redact.redact


OPERATIONS: Final = {name: value for name, value in vars(Bus).items() if isinstance(value, Operation)}
