"""Changes to what a project knows: its pages, and its governed documents."""

from knowledge.operations.writing import append_page, delete_page, import_pages, promote_page, put_page

__all__ = ["append_page", "delete_page", "import_pages", "promote_page", "put_page"]
