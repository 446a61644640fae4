/**
 * The SQL store keeps messages in tables of the application's database. {@link
 * io.punctual.jdbc.JdbcStore} opens it.
 */
@NullMarked
package io.punctual.jdbc;

import org.jspecify.annotations.NullMarked;
