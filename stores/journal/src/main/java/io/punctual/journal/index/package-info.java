/**
 * The tables in memory that find a message by its id, its slot or its time. They have only numbers
 * and never read a file.
 */
@NullMarked
package io.punctual.journal.index;

import org.jspecify.annotations.NullMarked;
