/**
 * The parts of the stores that run in the client's process. {@code PartitionRules} is the state
 * table; {@code ClaimSelection} selects the messages of a claim, and {@code ClaimLimits} holds the
 * limits of claims. Other classes hold the replies that sessions keep, the store's clock, cursors
 * and wake-up listeners. The package is exported to these stores only; {@link
 * io.punctual.spi.SessionTable} is its public counterpart.
 */
@NullMarked
package io.punctual.embedded;

import org.jspecify.annotations.NullMarked;
