/**
 * The folder of a journal, its files, its owner, and the room on its disk. The interface {@code
 * Disk} lets tests lose power and fail reads below the whole store.
 */
@NullMarked
package io.punctual.journal.disk;

import org.jspecify.annotations.NullMarked;
