package io.punctual.deadletter;

import io.punctual.Delivery;
import io.punctual.TimedQueue;
import io.punctual.UndecodableException;
import io.punctual.WorkerOptions;
import org.jspecify.annotations.Nullable;

/**
 * Receives a message before it becomes a dead letter, for example to notify its owner or to undo
 * earlier steps. Also receives a recurring message whose occurrence has failed, before the next
 * occurrence is scheduled. Does not receive a message that a consumer buries. See {@link
 * TimedQueue#withDeadHandler}.
 *
 * @param <T> the payload's type
 */
@FunctionalInterface
public interface DeadHandler<T> {
  /**
   * Handles a message that is about to be buried. May block. The client renews the lease during the
   * call, unless the worker has {@link WorkerOptions#renew()} off, and buries the message when this
   * method returns or throws. If the recurrence of a message continues after a failure, the client
   * schedules the next occurrence instead. The client logs an exception of this method, and adds it
   * to the failures of the dead letter. If this method settles the delivery, for example by an ack,
   * the client does not bury the message.
   *
   * <p>A crash, or the end of the worker's grace period, leads to a further call for the same
   * message. If a message is more than three attempts above the limit and its last lease ran out,
   * the client buries the message without a call, because this method may be the cause.
   *
   * @param delivery the message with its earlier failures; {@link Delivery#payload} decodes the
   *     payload, and throws {@link UndecodableException} if it can't be decoded
   * @param reason {@link DeadReason#FAILED}, {@link DeadReason#EXPIRED}, {@link
   *     DeadReason#UNDECODABLE} or {@link DeadReason#WORKERS_DIED}
   * @param failure the exception of the last attempt, or null if there is no exception
   */
  void onDead(Delivery<T> delivery, DeadReason reason, @Nullable Throwable failure)
      throws Exception;
}
