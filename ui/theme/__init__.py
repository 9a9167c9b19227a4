"""How the program looks: tokens → palette and stylesheet, icons, one registry of actions and keys."""
