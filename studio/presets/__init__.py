"""Shots on disk: files that users save, share and render again."""
