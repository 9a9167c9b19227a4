"""What every room may use: words, events, tasks, clock, paths, files, children, notices, logging."""
