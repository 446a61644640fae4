/**
 * Work on the files as a whole: recovery at a start, compaction and hints while the journal is
 * open, verification and repair while it is closed.
 */
@NullMarked
package io.punctual.journal.upkeep;

import org.jspecify.annotations.NullMarked;
