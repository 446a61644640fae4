package io.punctual.kafka;

import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** The meaning of a failed send. */
enum Verdict {
  /** Kafka did not confirm the record in time; it may have the record. */
  AWAY,
  /** The reason lies in the record or its topic. */
  REFUSED,
  /**
   * The client can do nothing any more, for example because its credentials are invalid, or an
   * error has ended its thread; Kafka may have the record.
   */
  BROKEN;

  static Verdict of(Throwable failure) {
    if (isRefusal(failure) || isRefusal(failure.getCause()) || isOfUser(failure)) {
      return REFUSED;
    }
    boolean mayPass =
        failure instanceof RetriableException
            || failure instanceof org.apache.kafka.common.errors.InterruptException
            || failure instanceof InterruptedException;
    return mayPass ? AWAY : BROKEN;
  }

  /**
   * Returns whether code of the user, such as a partitioner, threw the failure. Kafka's client
   * itself throws a {@link KafkaException}, or an {@link IllegalStateException} if it is closed.
   * Code of the user can throw an {@link IllegalStateException}, too, so the top stack frame
   * decides. A lack of memory can strike anywhere, and a class or library that can't be loaded,
   * such as one for the compression, fails every send; other errors are the user's.
   */
  static boolean isOfUser(Throwable failure) {
    return (failure instanceof RuntimeException || failure instanceof Error)
        && !(failure instanceof OutOfMemoryError)
        && !(failure instanceof LinkageError)
        && !(failure instanceof KafkaException)
        && !(failure instanceof IllegalStateException && isThrownByClient(failure))
        && !(failure instanceof RefusedException);
  }

  /**
   * Returns whether the top stack frame is a method of Kafka's client. Without a stack trace, the
   * failure counts as thrown by the client.
   */
  private static boolean isThrownByClient(Throwable failure) {
    StackTraceElement[] frames = failure.getStackTrace();
    return frames.length == 0 || frames[0].getClassName().startsWith("org.apache.kafka.");
  }

  private static boolean isRefusal(@Nullable Throwable failure) {
    return failure instanceof RefusedException
        || failure instanceof RecordTooLargeException
        || failure instanceof RecordBatchTooLargeException
        || failure instanceof InvalidRecordException
        || failure instanceof PolicyViolationException
        || isTopic(failure);
  }

  /**
   * Returns whether a failure concerns the topic. If a topic does not exist, the client reports a
   * time-out, whose cause is the answer of Kafka.
   */
  private static boolean isTopic(@Nullable Throwable failure) {
    return failure instanceof InvalidTopicException
        || failure instanceof TopicAuthorizationException
        || failure instanceof UnknownTopicOrPartitionException;
  }

  /** Whether a further send to the same topic is likely to fail too, perhaps after a wait. */
  static boolean isOfTopic(Throwable failure) {
    return isTopic(failure) || isTopic(failure.getCause()) || of(failure) == AWAY;
  }
}
