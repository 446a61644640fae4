/**
 * The tables in memory that find a message by its id, its slot or its time, and the leases. They
 * never read a file.
 */
@NullMarked
package io.punctual.journal.index;

import org.jspecify.annotations.NullMarked;
