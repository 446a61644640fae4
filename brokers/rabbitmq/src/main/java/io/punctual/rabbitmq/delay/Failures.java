package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.internal.message.CutText;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts exceptions of the AMQP client into exceptions for users. */
final class Failures {
  private static final int TEXT_LENGTH = 300;

  private Failures() {}

  /**
   * Returns the exception for a failed step, such as a connection, a declaration, or the start of a
   * consumer.
   */
  static PunctualException of(String doing, Exception failure) {
    if (failure instanceof PunctualException e) {
      return e;
    }
    if (failure instanceof AuthenticationFailureException
        || failure instanceof PossibleAuthenticationFailureException) {
      return new StoreRefusedException(
          doing + " failed: RabbitMQ refuses the user, the password or the virtual host", failure);
    }
    int code = code(failure);
    return switch (code) {
      case AMQP.PRECONDITION_FAILED ->
          refused(
              doing,
              failure,
              "It exists with different properties. Use the options of the program that declared"
                  + " it, choose a different queue name or namespace, or delete it while it is"
                  + " empty and all clients are stopped");
      case AMQP.ACCESS_REFUSED ->
          refused(
              doing,
              failure,
              "Grant the user the rights to configure, write and read the queues and exchanges"
                  + " of the namespace");
      case AMQP.RESOURCE_LOCKED ->
          refused(doing, failure, "A different connection declared the queue as exclusive");
      case AMQP.NOT_IMPLEMENTED, AMQP.NOT_ALLOWED, AMQP.COMMAND_INVALID ->
          refused(doing, failure, "Use a broker and a queue type that fit together");
      default ->
          new StoreUnavailableException(
              doing + " failed: " + describe(failure) + ". Check that RabbitMQ can be reached",
              failure);
    };
  }

  private static StoreRefusedException refused(String doing, Exception failure, String remedy) {
    return new StoreRefusedException(
        doing + " failed: " + describe(failure) + ". " + remedy, failure);
  }

  private static int code(Throwable failure) {
    return signal(failure)
        .map(ShutdownSignalException::getReason)
        .map(
            reason -> {
              if (reason instanceof AMQP.Channel.Close close) {
                return close.getReplyCode();
              }
              return reason instanceof AMQP.Connection.Close close ? close.getReplyCode() : 0;
            })
        .orElse(0);
  }

  private static Optional<ShutdownSignalException> signal(@Nullable Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < 10 && cause != null; i++) {
      if (cause instanceof ShutdownSignalException signal) {
        return Optional.of(signal);
      }
      cause = cause.getCause();
    }
    return Optional.empty();
  }

  /** Returns the broker's reply text if there is one, or the class and message of the exception. */
  static String describe(Throwable failure) {
    return signal(failure)
        .map(ShutdownSignalException::getReason)
        .map(
            reason -> {
              if (reason instanceof AMQP.Channel.Close close) {
                return close.getReplyText();
              }
              return reason instanceof AMQP.Connection.Close close ? close.getReplyText() : null;
            })
        .orElseGet(() -> text(failure));
  }

  /**
   * Returns the class and the text of an exception, cut to 300 characters, or its class if {@code
   * getMessage} throws.
   */
  static String text(Throwable failure) {
    String name = failure.getClass().getName();
    String message;
    try {
      message = failure.getMessage();
    } catch (Throwable broken) {
      message = null;
    }
    return cut(message == null ? name : name + ": " + message);
  }

  /** Returns the text, cut to 300 characters. */
  static String cut(String text) {
    return CutText.first(text, TEXT_LENGTH);
  }
}
