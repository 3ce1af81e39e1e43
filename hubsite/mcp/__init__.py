"""The Model Context Protocol, as far as the hub speaks it: messages, revisions, tools, resources and prompts.

The HTTP side is `hubsite.mcp_server`.
"""
