"""Every bound, with its reason."""

# A record is one line, and a line is read whole: this is what a reader must be ready to hold.
LINE_BYTES = 1 << 20
# What a record adds around its body: seq, prev, crc and their names, with room to spare.
ENVELOPE_BYTES = 160
# A snapshot in git stores a changed file anew: small segments keep each commit cheap.
SEGMENT_BYTES = 4_000_000
# More than this many recipients is a list, and lists have names.
RECIPIENTS = 64
# One segment of a name; it may become part of a file name.
NAME_CHARS = 64
# factory/role/name, with room for the prefix of a mount.
NAME_SEGMENTS = 4
# An id that somebody else made up.
ID_CHARS = 128
# A subject is a headline.
SUBJECT_CHARS = 1_000
# A key is an id, not a text.
KEY_CHARS = 256
# Free fields are for programs; a text belongs in the body.
META_FIELDS = 64
META_CHARS = 4_096
FILES = 256
# A field inside a field inside a field: what a reader must be ready to follow.
DEPTH = 16
# A task's id is a name, not a title.
TASK_CHARS = 128
# How senior an agent, or how difficult a task, can be.
LEVELS = 5
# Workers of one factory: more of them than this wait for each other's files.
SLOTS = 5
# What one command says for the bus; what is left, the next one says.
DUE = 200
# What a list row shows of a body.
GIST_CHARS = 120
# Nobody types a hundred thousand ids; a runaway script does.
IDS = 1_000
# The most that one question of a view returns.
ROWS = 10_000
ROWS_DEFAULT = 20
# How long a command waits for the lock of the log before it says who holds it.
LOCK_SECONDS = 5.0
# How long a reader waits for its turn to bring the view up to date before it answers from what there is.
CATCH_UP_SECONDS = 0.2
# How often a waiter looks for itself, should a bell not have reached it.
WAIT_POLL_SECONDS = 1.0
# The longest that anyone may wait in one call: a day.
WAIT_SECONDS = 86_400.0
# Bytes of a quarantined piece that `show` prints.
SHOW_BYTES = 4_096
# A config is a page, not a book; and what it says must fit into one record.
CONFIG_BYTES = 1 << 19
# Warnings about one config; whoever has more has another kind of file there.
WARNINGS = 10
# How much of a foreign file is read at a time: some thousand lines, so that a process can end between two.
CHUNK_BYTES = 1 << 19
# A log that is longer than this has not been looked at for years; reading it would take minutes.
FOREIGN_BYTES = 4 << 30
# How long a file must be left alone before an end without its mark counts as an end.
QUIET_SECONDS = 2.0
# Messages that are written into one mount at a time.
OWED = 500
# Pieces that one event may stand for, so that its line stays short.
RUN_PIECES = 256
RUN_BYTES = 1 << 16
# What is kept of bytes that nobody can read; beyond that they are only counted.
QUARANTINE_BYTES = 64 << 20
# One quarantine entry: it is retried as a whole, and the hashes of its lines must fit into one record.
ENTRY_BYTES = 1 << 20
ENTRY_LINES = 16_384
# How much of one file a pass takes in before it turns to the others: about one chunk, less its last line.
TURN_BYTES = 1 << 18
# How long a file that we replaced is kept at least: a program that has just found it may be about to open it.
ATTIC_SECONDS = 5.0
# The same where the file system cannot tell whether a program has it open.
ATTIC_BLIND_SECONDS = 60.0
# The same after the last write to it, if it was written to after it was replaced.
ATTIC_IDLE_SECONDS = 3_600.0
# Findings about one stretch of one file; the rest is counted.
FINDINGS = 50
# How often the daemon looks for itself, should a wake-up have got lost.
POLL_SECONDS = 2.0
# The same where nothing can wake it, or something waits to become whole.
QUIET_POLL_SECONDS = 0.5
# How long nobody must have written to the config before the daemon uses it.
CONFIG_REST_SECONDS = 0.2
# Events that the daemon shows at a time.
DAEMON_PAGE = 1_000
# How long a client of the daemon's socket may be silent.
DOOR_SECONDS = 30.0
# Threads of the door that are kept for the next visits.
DOOR_IDLE = 4
# How long a command waits for the daemon before it does the work by itself.
DOOR_WAIT_SECONDS = 0.25
# Agents that the picture of now shows, what it shows of unanswered mail, and of the newest words.
CARDS = 200
UNANSWERED = 40
RECENT = 40
# Messages of one event that are looked up to see what it has changed.
IDS_TOUCHED = 20
# Tasks that have ended and a board still shows, and messages that the page of a task shows.
BOARD_DONE = 40
TASK_TALK = 500
# What one page of the log looks at before it says how to go on.
SCAN_BYTES = 24_000_000
# The dashboard. A page asks a few dozen things a second at most; a program in a circle asks thousands.
WEB_REQUESTS_PER_SECOND = 500
WEB_BURST = 1_000
# A head is a line and a few dozen more; a body is one message.
WEB_LINE_BYTES = 8_192
WEB_HEAD_BYTES = 32_768
WEB_HEADERS = 100
WEB_BODY_BYTES = 1 << 20
# How long a head, and then a body, may take to arrive.
WEB_PATIENCE_SECONDS = 10.0
# Browsers that listen at once.
WEB_LISTENERS = 256
# Events that are kept at hand for those who come back, and how far behind anyone may be to catch up.
WEB_AT_HAND = 2_000
WEB_BEHIND = 10_000
# News are told at once, and then not again for so long: a burst is one piece of news.
WEB_BREATH_SECONDS = 0.2
# A line that only says "still here".
WEB_HEARTBEAT_SECONDS = 15.0
# How long a way in can be used, and how long a browser stays known.
WEB_WAY_IN_SECONDS = 600
WEB_SESSION_SECONDS = 604_800
# Names in one text of the patrol, and things that one of its messages is about: both must fit into a line.
PATROL_NAMED = 10
PATROL_ITEMS = 100
# What the command of a person is told of an escalation.
NOTIFY_CHARS = 4_096
# What the log gets to see of a program's output, and how often.
RUN_LINE_CHARS = 200
RUN_OUTPUT_SECONDS = 10.0
# A line that is longer than this is no line.
RUN_LINE_BYTES = 1 << 16
# How much of a program's output is taken at a time.
RUN_CHUNK_BYTES = 1 << 16
# How long a program may take to end after it was asked to, before it is made to.
KILL_SECONDS = 10.0
# How long whoever ended a program waits for its keeper to say so, and for a process that cannot be ended.
KEEPER_SECONDS = 10.0
# How long after a program's end its pipes are still read, if somebody else holds them open.
DRAIN_SECONDS = 0.5
# A prompt is read by a model; a book does not fit into it.
PROMPT_BYTES = 4 << 20
# Runs of one project: the number has three digits, and may have more.
RUN_TRIES = 10_000
# The name of a run is also the name of a folder.
RUN_CHARS = 64
# How long a check of health may take.
HEALTH_SECONDS = 10.0
HEALTH_CHECKS = 64
# Files of a foreign bus that are checked before it is accepted; with more it is no bus.
TRUST_ENTRIES = 100_000
# The order across files: a time that is further ahead of now than this counts as missing; a line that is
# younger than this does not wait for the backlog of another file; and this many files are merged at once.
FUTURE_SECONDS = 300
FRESH_SECONDS = 300
MERGED_FILES = 128
# What is read at once of each of many files.
BLOCK_BYTES = 1 << 16
