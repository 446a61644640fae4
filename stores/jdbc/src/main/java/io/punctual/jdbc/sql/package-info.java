/** Connections, transactions and the differences between databases. Not exported. */
@NullMarked
package io.punctual.jdbc.sql;

import org.jspecify.annotations.NullMarked;
