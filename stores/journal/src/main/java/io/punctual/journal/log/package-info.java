/**
 * The append-only end of the journal: segments, the frame that gathers records, the two threads
 * that change state and write, and the file of attempts.
 */
@NullMarked
package io.punctual.journal.log;

import org.jspecify.annotations.NullMarked;
