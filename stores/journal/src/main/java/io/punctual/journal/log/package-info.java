/**
 * The append-only log of the journal: its segments, the frame that collects new records, the thread
 * that owns the state, the thread that writes frames, and the file of attempts.
 */
@NullMarked
package io.punctual.journal.log;

import org.jspecify.annotations.NullMarked;
