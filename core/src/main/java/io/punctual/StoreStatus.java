package io.punctual;

import java.time.Instant;
import java.util.Optional;

/**
 * Whether the store answers, as the calls of a client see it. Immutable.
 *
 * @param reachable false from the report of an outage until the store answers again. A silence of
 *     less than a second is no outage; a refusal, or a failed attempt to open the store, is an
 *     outage at once
 * @param since the time at which {@code reachable} changed last, or the start of the client, by
 *     this machine's clock
 * @param lastFailure the failure of the current or the latest outage, or empty if there was none
 */
public record StoreStatus(boolean reachable, Instant since, Optional<Throwable> lastFailure) {}
