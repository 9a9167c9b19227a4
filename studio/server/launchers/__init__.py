"""Ways to start a server, behind one interface."""
