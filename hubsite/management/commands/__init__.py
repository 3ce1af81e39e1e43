"""The hub's own commands: serve, work, create_project, create_agent, demo."""
