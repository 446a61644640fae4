/**
 * Database servers of tests: PostgreSQL, MariaDB, MySQL, and PgBouncer in front of PostgreSQL. A
 * test is skipped if the program of its server is not installed. The drivers are dependencies of
 * the users.
 */
@NullMarked
package io.punctual.kit.database;

import org.jspecify.annotations.NullMarked;
