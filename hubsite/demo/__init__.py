"""A believable week of two agents' work, told to a running hub through the faces agents have."""
