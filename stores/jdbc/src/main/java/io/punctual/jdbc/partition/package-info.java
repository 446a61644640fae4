/**
 * The messages of a queue in the tables, and the calls that change them. {@code Calls} receives a
 * call. {@code Claiming} leases messages, with the statements of {@code Candidates}. {@code
 * Applying} executes operations. The package is not exported.
 */
@NullMarked
package io.punctual.jdbc.partition;

import org.jspecify.annotations.NullMarked;
