"""How pages write dates: as they sort."""
