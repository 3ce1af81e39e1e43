"""Pages that read from several apps; a page of one app lives there."""
