#!/bin/sh
# Starts the Firefox named by FIREFOX_PATH so that it outlives the death of a tab's process, as it does for a user.
# Playwright sets this variable for every Firefox, and with it the browser ends when a tab crashes.
unset MOZ_CRASHREPORTER_SHUTDOWN
exec "$FIREFOX_PATH" "$@"
