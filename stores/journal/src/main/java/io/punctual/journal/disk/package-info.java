/**
 * The folder of a journal: its files, its owner, and the free space on its disk. Tests implement
 * the interface {@code Disk} to simulate a loss of power or a failed read under the whole store.
 */
@NullMarked
package io.punctual.journal.disk;

import org.jspecify.annotations.NullMarked;
