package io.punctual.rabbitmq.delay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.ClientClosedException;
import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.rabbitmq.internal.ConfirmedPublisher;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Stops publishers while the broker is away or blocks them, and ends their waits at the close.
 * Takes no other lock, so the thread that reads from the broker may call it. Thread-safe.
 */
final class Gate implements ConfirmedPublisher.Listener {
  @GuardedBy("this") private boolean open;

  @GuardedBy("this") private @Nullable String blockedFor;

  /** The failure of the last attempt to connect, or null if there is a connection. */
  @GuardedBy("this") private @Nullable PunctualException failure;

  @GuardedBy("this") private boolean closed;

  @Override
  public synchronized void available() {
    open = true;
    blockedFor = null;
    failure = null;
    notifyAll();
  }

  @Override
  public synchronized void unavailable(@Nullable String blockedFor) {
    open = false;
    this.blockedFor = blockedFor;
  }

  @Override
  public synchronized void failed(Throwable cause) {
    failure =
        cause instanceof Exception e
            ? Failures.of("Connecting to RabbitMQ", e)
            : new StoreUnavailableException("Connecting to RabbitMQ failed: " + cause, cause);
    notifyAll();
  }

  @Override
  public boolean isOver() {
    return false;
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /** Returns whether the broker can still confirm messages. */
  synchronized boolean isConnected() {
    return open || blockedFor != null;
  }

  /**
   * Returns the reason for which the broker blocks publishers, or null if it does not block them.
   */
  synchronized @Nullable String blockedFor() {
    return blockedFor;
  }

  /**
   * Waits until the broker takes messages.
   *
   * @param message the id of the message that waits
   * @param deadline by {@link System#nanoTime}
   * @throws PunctualException if that does not happen before the deadline, the broker refuses the
   *     client, or the gate is closed
   */
  synchronized void awaitOpen(String message, long deadline) throws InterruptedException {
    while (!open && !closed && !(failure instanceof StoreRefusedException)) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw notSent(message);
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    if (closed || !open) {
      throw notSent(message);
    }
  }

  /** Returns the exception for a message that was not sent, by the current reason. */
  synchronized PunctualException notSent(String message) {
    if (closed) {
      return new ClientClosedException(
          "The delay queue is closed; message '" + message + "' was not sent");
    }
    String text = "Message '" + message + "' was not sent, because RabbitMQ ";
    if (blockedFor != null) {
      return new StoreUnavailableException(
          text + "blocks publishers: " + blockedFor + "; free the resource of the broker", null);
    }
    if (failure instanceof StoreRefusedException) {
      return new StoreRefusedException(
          text + "refuses the client: " + failure.getMessage(), failure);
    }
    return new StoreUnavailableException(
        text
            + (open ? "does not read" : "can't be reached")
            + (failure == null ? "" : ": " + failure.getMessage()),
        failure);
  }
}
