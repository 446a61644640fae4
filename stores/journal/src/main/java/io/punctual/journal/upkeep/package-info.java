/**
 * The operations on whole files: recovery at a start; compaction and the writing of hints while the
 * journal is open; snapshots for readers; verification and repair while the journal is closed.
 */
@NullMarked
package io.punctual.journal.upkeep;

import org.jspecify.annotations.NullMarked;
