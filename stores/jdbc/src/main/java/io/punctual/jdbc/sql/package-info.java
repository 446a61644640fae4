/**
 * The connections and transactions of the SQL store, and the differences between databases. The
 * package is not exported.
 */
@NullMarked
package io.punctual.jdbc.sql;

import org.jspecify.annotations.NullMarked;
