/**
 * The tables in memory that find a message by its id, its slot or its time. The tables contain only
 * numbers, and never read a file.
 */
@NullMarked
package io.punctual.journal.index;

import org.jspecify.annotations.NullMarked;
