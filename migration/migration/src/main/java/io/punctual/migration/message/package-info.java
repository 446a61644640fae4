/** Reads and writes the messages of a store, for copies and for dead letters. Not exported. */
@NullMarked
package io.punctual.migration.message;

import org.jspecify.annotations.NullMarked;
