"""The routes of our own API: a file has one `router`, or two where some ask for no key."""
