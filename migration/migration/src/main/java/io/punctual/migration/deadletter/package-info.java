/** Writes dead letters as lines of JSON, and reads them. */
@NullMarked
package io.punctual.migration.deadletter;

import org.jspecify.annotations.NullMarked;
