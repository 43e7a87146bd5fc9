"""The office: a manager and employees, a log for each of them, and one inbox for all replies."""
