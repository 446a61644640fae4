package io.punctual.kafka;

import io.punctual.PunctualException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if Kafka, or its client, refuses a record for a reason that lies in the record or its
 * topic: the record is too large, the topic does not exist, has an invalid name or may not be
 * written, or a function of the bridge or a partitioner failed. The retry policy of the worker
 * decides whether the bridge tries again. A rule of the policy can name this class:
 *
 * <pre>{@code
 * RetryPolicy.DEFAULT.forFailure(RefusedException.class, RetryPolicy.never())
 * }</pre>
 */
public final class RefusedException extends PunctualException {
  private static final long serialVersionUID = 1L;

  RefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
