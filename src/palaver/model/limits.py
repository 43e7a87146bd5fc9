"""Every limit, with its reason."""

# A record is one line, and a line is read as a whole: a reader needs this much memory.
LINE_BYTES = 1 << 20
# A text in a record, or in a request over HTTP, beside their other fields.
TEXT_CHARS = LINE_BYTES - 1_000
# Entries on one line, whose writers have left out the newlines: for each of them the rest is read again.
LINE_ENTRIES = 64
# What a record adds to its body: seq, prev, crc and their names, with a reserve.
ENVELOPE_BYTES = 160
# A snapshot in git stores a changed file again: small segments keep each commit small.
SEGMENT_BYTES = 4_000_000
# For more recipients there are named lists.
RECIPIENTS = 64
# One segment of a name, which can become part of a file name.
NAME_CHARS = 64
# What file systems allow.
FILE_NAME_BYTES = 255
# factory/role/name, and the prefix of a mount.
NAME_SEGMENTS = 4
# An id that another program has generated.
ID_CHARS = 128
# A subject is a headline.
SUBJECT_CHARS = 1_000
# The first words of a text, where a subject is wanted and there is none.
TITLE_CHARS = 80
# A key is an id, not a text.
KEY_CHARS = 256
# Free fields are for programs; a text belongs in the body.
META_FIELDS = 64
META_CHARS = 4_096
FILES = 256
# How deep fields can be nested.
DEPTH = 16
# A task's id is a name, not a title.
TASK_CHARS = 128
# The highest seniority of an agent, and difficulty of a task.
LEVELS = 5
# Workers of one factory; more of them would wait for each other's files.
SLOTS = 5
# Notices that one command writes for the bus; the next command writes the rest.
DUE = 200
# The part of a body that a list shows.
GIST_CHARS = 120
# Ids in one call. Nobody types so many; a runaway script does.
IDS = 1_000
# Anchors of a bus at one place, spaced so that the newest part of the log has most of them; and in all.
ANCHORS = 32
ANCHORS_IN_ALL = 256
# How often a long-lived process writes one.
ANCHOR_SECONDS = 1.0
# The largest view that is copied to memory when the disk is full.
VIEW_COPY_BYTES = 1 << 26
# Rows that one query of a view returns.
ROWS = 10_000
ROWS_DEFAULT = 20
# How long a command waits for the lock of the log before it reports the process that holds it.
LOCK_SECONDS = 5.0
# How long a reader waits to bring the view up to date before it answers from the view as it is.
CATCH_UP_SECONDS = 0.2
# How often a waiter polls, in case a wakeup was lost.
WAIT_POLL_SECONDS = 1.0
# The longest wait in one call: a day.
WAIT_SECONDS = 86_400.0
# Bytes of a quarantined piece that `show` prints.
SHOW_BYTES = 4_096
# How long mail that was read and not acknowledged is not offered again: an agent at work is not disturbed,
# and one that was killed does not wait long.
REOFFER_SECONDS = 300
# A shorter text is in many events and lines that have nothing to do with it: a redaction does not name them.
TELLING_CHARS = 8
# How much of a quarantine entry a redaction looks for elsewhere.
QUOTED_BYTES = 1 << 16
# Files that a command may have open at once, beside its three streams: log, view, locks, pipes of a program.
FILES_NEEDED = 24
# The config must fit into one record.
CONFIG_BYTES = 1 << 19
# Warnings about one config; with more, it is another kind of file.
WARNINGS = 10
# The longest secret: where a file is searched in pieces, they overlap by so much.
SECRET_BYTES = 1 << 16
# How much of a foreign file is read at a time: a few thousand lines, so that a process can end in between.
CHUNK_BYTES = 1 << 19
# The largest foreign file that is read; more would take minutes.
FOREIGN_BYTES = 4 << 30
# How long a file must be unchanged before a last line without a line feed counts as complete.
QUIET_SECONDS = 2.0
# How far above a line a rule looks for lines that it is compared with.
LOOK_BACK_BYTES = 1 << 14
# Messages that are written into one mount at a time.
OWED = 500
# Pieces that one event can represent, so that its line stays short.
RUN_PIECES = 256
RUN_BYTES = 1 << 16
# Quarantined bytes that are kept; more are only counted.
QUARANTINE_BYTES = 64 << 20
# One quarantine entry: it is retried as a whole, and the hashes of its lines must fit into one record.
ENTRY_BYTES = 1 << 20
ENTRY_LINES = 16_384
# The longest line of a file that is held in memory while the file is replaced: no record is longer.
HELD_LINE_BYTES = 2 * LINE_BYTES
# How much of one file a pass reads before it turns to the others: about one chunk.
TURN_BYTES = 1 << 18
# How long a replaced file is kept at least: a program that has just found it may be about to open it.
REPLACED_SECONDS = 5.0
# The same if the file system cannot tell whether a program has it open.
REPLACED_BLIND_SECONDS = 60.0
# The same after the last write to it, if it was written to after it was replaced.
REPLACED_IDLE_SECONDS = 3_600.0
# How many generations of a file are still read after it was rotated.
ROTATIONS = 8
# Findings about one part of one file; the rest is counted.
FINDINGS = 50
# How much of a line is kept with a finding about it, to tell its author the line to write instead.
FOUND_CHARS = 4_000
# How often the daemon polls, in case a wakeup was lost.
POLL_SECONDS = 5.0
# The same if nothing can wake it, or a line is incomplete.
QUIET_POLL_SECONDS = 0.5
# How long the config must be unchanged before the daemon applies it.
CONFIG_REST_SECONDS = 0.2
# How long a thread of the daemon computes while another waits: a command does not wait for a pass.
SWITCH_SECONDS = 0.0005
# How long a command takes that has just recorded something: the pass that follows begins after that.
COMMAND_SECONDS = 0.005
# The pause between two passes while commands keep coming: so much later a line may come to a file.
PACE_SECONDS = 0.05
# Events that the daemon shows at a time.
DAEMON_PAGE = 1_000
# Commands that the daemon runs at once. Each blocked `wait` and `tail` is one, with four file descriptors.
COMMAND_THREADS = 128
# Threads that it keeps for the next commands.
COMMAND_IDLE_THREADS = 8
# Standard input that is handed to the daemon: more than any command accepts.
COMMAND_INPUT_BYTES = 4 << 20
# Pipes that the daemon has ready for launchers: so many may come at once.
COMMAND_PIPES = 32
# How long a launcher may take to hand a command over once it has an id; one that takes longer was killed.
COMMAND_CLAIM_SECONDS = 60.0
# How often the daemon tells its watchdog that it is alive.
HEARTBEAT_SECONDS = 3.0
# How long the daemon may take to start, and to end.
DAEMON_SECONDS = 30.0
DAEMON_START_SECONDS = 10.0
# If the daemon does not start, commands do not try again for so long.
DAEMON_PAUSE_SECONDS = 60.0
# What is read of its log.
DAEMON_LOG_BYTES = 1 << 20
# How long systemd may take to start or end it.
SYSTEMCTL_SECONDS = 60.0
# Agents, unanswered items and newest messages in the overview.
CARDS = 200
UNANSWERED = 40
RECENT = 40
# Messages of one event that are looked up to find what it changed.
IDS_TOUCHED = 20
# Ended tasks that a board shows, and messages on the page of a task.
BOARD_DONE = 40
TASK_TALK = 500
# How long `palaver read` waits for its reader: one that has not taken the message by then holds the pipe.
READER_SECONDS = 1.0
# How much of the log one page of events scans.
SCAN_BYTES = 24_000_000
# The dashboard. A page sends a few dozen requests a second at most; a program in a loop sends thousands.
WEB_REQUESTS_PER_SECOND = 500
WEB_BURST = 1_000
# A request head is a few dozen lines; a body is one message.
WEB_LINE_BYTES = 8_192
WEB_HEAD_BYTES = 32_768
WEB_HEADERS = 100
WEB_BODY_BYTES = 1 << 20
# How long a head, and then a body, can take to arrive.
WEB_PATIENCE_SECONDS = 10.0
# Browsers that listen at the same time.
WEB_LISTENERS = 256
# Events that are kept for reconnecting browsers, and how far behind one can be to catch up.
WEB_AT_HAND = 2_000
WEB_BEHIND = 10_000
# The pause between two updates of a page: a burst is one update.
WEB_BREATH_SECONDS = 0.2
# Programs that mail starts, whose mail starts programs again. A chain of sixteen is a loop: people
# who pass work on by hand rarely reach five.
LOOP_HOPS = 16
# Programs that one message starts, directly or through others: a team of sixty may be asked and answer.
LOOP_PROGRAMS = 200
# Programs that the mail of programs starts in a minute, of one agent and by mail of one other: a model takes
# seconds to answer, and each answer costs money.
LOOP_AGENT_STARTS = 30
LOOP_PAIR_STARTS = 10
LOOP_RATE_SECONDS = 60.0
# How long after the end of a program a line of a file can be read that it wrote.
LOOP_LATE_SECONDS = 60.0
# Where it is only likely that programs answer each other, their number is limited for so long, and not for
# good.
LOOP_UNCERTAIN_SECONDS = 3_600.0
# The interval of keep-alive lines.
WEB_HEARTBEAT_SECONDS = 15.0
# How long a sign-in link is valid, and how long a browser stays signed in.
WEB_WAY_IN_SECONDS = 600
WEB_SESSION_SECONDS = 604_800
# Names in one text of the patrol, and waits in one of its messages: both must fit into a record.
PATROL_NAMED = 10
PATROL_ITEMS = 100
# The part of an escalation that the notification command gets.
NOTIFY_CHARS = 4_096
# The part of a program's output that is logged, and how often.
RUN_LINE_CHARS = 200
RUN_OUTPUT_SECONDS = 10.0
# A longer line of output is dropped from the log.
RUN_LINE_BYTES = 1 << 16
# How much of a program's output is read at a time.
RUN_CHUNK_BYTES = 1 << 16
# The time between SIGTERM and SIGKILL.
KILL_SECONDS = 10.0
# How long a kill waits for the runner to log the end, and for a process that cannot be killed.
RUNNER_SECONDS = 10.0
# How long the pipes of an ended program are still read if another process holds them open.
DRAIN_SECONDS = 0.5
# A prompt must fit into the context of a model.
PROMPT_BYTES = 4 << 20
# Attempts to find a free number or file name.
RUN_TRIES = 10_000
# The name of a run is also the name of a folder.
RUN_CHARS = 64
# How long a health check can take.
HEALTH_SECONDS = 10.0
HEALTH_CHECKS = 64
# Files of a foreign bus that are checked before it is trusted; with more it is not a bus.
TRUST_ENTRIES = 100_000
# Files of the repository inside a bus: a snapshot adds about ten.
REPOSITORY_ENTRIES = 1_000_000
# The order across files: a time that is further ahead of now than this counts as missing; a line that is
# younger than this does not wait for the backlog of another file; and this many files are merged at once.
FUTURE_SECONDS = 300
FRESH_SECONDS = 300
MERGED_FILES = 128
# What is read at once of each of many files.
BLOCK_BYTES = 1 << 16
