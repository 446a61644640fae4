-- The registration of the clients that wait for messages of a partition. At most one client is on duty.
--
-- The key `waiting` is a zset. A member is P or S, for PUBLISH or SPUBLISH, followed by the client's name. Its
-- score is the time when the server last heard from the client, in milliseconds, plus DUTY for the client on
-- duty.
--
-- The client on duty knows when the next message is due, and receives hints on a channel that is named after the
-- key and the member. All other clients sleep. So a hint wakes a single client, however many clients wait. The
-- scripts ignore errors of these commands, since they may have written already; a lost hint delays a message
-- until the next safety check.

local DUTY = 1000000000000000
local SILENT_MILLIS = 90000  -- longer than the longest pause between two safety checks
