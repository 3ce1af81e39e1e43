ALTER TABLE booking
    ADD CONSTRAINT booking_no_overlap
    EXCLUDE USING gist (
        berth_id WITH =,
        daterange(arrival, departure, '[)') WITH &&
    )
    WHERE (cancelled_at IS NULL);
