"""Supervision: nobody is stuck in silence. One table of deadlines, one pure patrol, and a thin rim."""
