package io.punctual.rabbitmq.internal;

import com.rabbitmq.client.ShutdownSignalException;
import org.jspecify.annotations.Nullable;

/** Says why RabbitMQ did not confirm a message. Users get an exception of their own instead. */
public final class UnconfirmedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Kind kind;

  public enum Kind {
    /** No queue is bound for the message. */
    RETURNED,
    /** RabbitMQ refused the message, or closed the channel because of it. */
    REFUSED,
    /** RabbitMQ's client threw the cause instead of sending the message. */
    UNSENDABLE,
    /**
     * The connection was lost or closed. The message may have been routed if it {@linkplain
     * Outgoing#wasSent was sent}. The failure says nothing about the message itself.
     */
    AWAY
  }

  UnconfirmedException(Kind kind, String reason, @Nullable Throwable cause) {
    super(reason, cause, false, false);
    this.kind = kind;
  }

  /** Returns the failure of a message for which RabbitMQ has closed the channel. */
  static UnconfirmedException refusal(@Nullable ShutdownSignalException cause) {
    String reason = cause == null ? "the channel was closed" : String.valueOf(cause.getReason());
    return new UnconfirmedException(Kind.REFUSED, reason, cause);
  }

  public Kind kind() {
    return kind;
  }

  /** Returns the reason, without the message. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
