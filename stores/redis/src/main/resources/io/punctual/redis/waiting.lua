-- The clients that wait for messages of a partition; one client is on duty.
--
-- They are in a zset, waiting. A member is P or S, for PUBLISH or SPUBLISH, and the name of the client.
-- Its score is when the server last heard from the client, in milliseconds, plus DUTY for the client on
-- duty.
--
-- The client on duty knows when the next message is due, and hears hints, on a channel that is named
-- after the key and the member. All other clients sleep. So a hint wakes one client, independent of the number of waiting clients. A
-- failure in here costs a safety check's interval; it must never fail a script that has written.

local DUTY = 1000000000000000
local SILENT_MILLIS = 20000
