"""Views of agents: the roster, settings that concern them, their programs."""
