/**
 * The messages of a queue and the calls that change them. {@code JournalCalls} receives a call.
 * {@code Claims} leases messages. For an operation, such as an ack, {@link
 * io.punctual.embedded.PartitionRules} chooses the change, and {@code Moves} writes its record to
 * the log and changes the index.
 */
@NullMarked
package io.punctual.journal.partition;

import org.jspecify.annotations.NullMarked;
