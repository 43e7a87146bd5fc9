"""Views for the patrol: activity, steps taken, notices."""
