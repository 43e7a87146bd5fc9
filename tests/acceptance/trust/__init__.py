"""Trust: no agent acts as another, no loss goes unseen, no secret is kept."""
