"""Live files: agents write files, and the bus is behind them. On real files, without a daemon."""
