/**
 * The partitions of a queue as a client knows them: hints, the safety check, and a corrected
 * number.
 */
@NullMarked
package io.punctual.internal.partition;

import org.jspecify.annotations.NullMarked;
