/**
 * The SQL store: messages in tables of the application's database. {@link
 * io.punctual.jdbc.JdbcStore} is its public type.
 */
@NullMarked
package io.punctual.jdbc;

import org.jspecify.annotations.NullMarked;
