"""``make bench``: the hub beside a bare endpoint under the same server and a raw database loop, in one run."""
