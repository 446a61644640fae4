/**
 * The partitions of a queue on the client's side: hints, the safety check, and the correction of a
 * stale number of partitions.
 */
@NullMarked
package io.punctual.internal.partition;

import org.jspecify.annotations.NullMarked;
