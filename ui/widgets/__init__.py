"""Parts that more than one workspace uses. They show and ask; they decide nothing."""
