/**
 * The code that two or all of the memory, journal and SQL stores share. {@code PartitionRules} is
 * the state table; {@code ClaimSelection} selects the messages of a claim, and {@code ClaimLimits}
 * holds the limits of claims; {@code PageSearch} finds the pages of a listing. Other classes hold
 * purges, counts, the replies that sessions keep, the store's clock, cursors and wake-up listeners.
 * The package is exported to the journal and SQL stores, and to the HTTP store for {@code
 * UsedByName}. Other stores can use the public class {@link io.punctual.spi.SessionTable}.
 */
@NullMarked
package io.punctual.embedded;

import org.jspecify.annotations.NullMarked;
