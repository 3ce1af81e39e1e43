"""The human API of pages, storage and documents."""
