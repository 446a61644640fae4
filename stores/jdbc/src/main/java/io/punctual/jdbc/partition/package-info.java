/** A partition in the tables: calls, claims, look-ups and purges. Not exported. */
@NullMarked
package io.punctual.jdbc.partition;

import org.jspecify.annotations.NullMarked;
