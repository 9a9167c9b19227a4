"""The Qt program: one screen for studio. Imports studio; studio never imports this."""
