"""vermas: mail, assignments, work orders and an event log under `.work/`."""
