"""Data that ships with the studio; read it with importlib.resources."""
