/**
 * The partitions of a queue on the client's side: sessions, hints, the safety check, the correction
 * of a stale number of partitions, and the moves of shares of the queue's limits.
 */
@NullMarked
package io.punctual.internal.partition;

import org.jspecify.annotations.NullMarked;
