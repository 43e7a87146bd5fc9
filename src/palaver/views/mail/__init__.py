"""Views of mail: messages, deliveries, threads, open questions, search."""
