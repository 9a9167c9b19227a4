"""The application without a screen: everything here works from the command line and knows no Qt."""

__version__ = "0.1.0"
