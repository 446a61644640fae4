/**
 * The messages of a queue in the tables, and the calls that change them. {@code CallSequence} puts
 * calls in order, and {@code Calls} executes each of them once. {@code Claiming} leases messages,
 * with the statements of {@code Candidates}. {@code Applying} executes operations. {@code
 * ClaimHints} wakes up claimers. The package is not exported.
 */
@NullMarked
package io.punctual.jdbc.partition;

import org.jspecify.annotations.NullMarked;
