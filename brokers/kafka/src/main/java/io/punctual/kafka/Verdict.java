package io.punctual.kafka;

import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** The meaning of a failed send. */
enum Verdict {
  /** Kafka did not confirm the record in time; it may have the record. */
  AWAY,
  /** The reason lies in the record or its topic. */
  REFUSED,
  /** The producer, or its credentials, can send nothing any more; Kafka may have the record. */
  BROKEN;

  static Verdict of(Throwable failure) {
    if (isOfRecord(failure) || isOfRecord(failure.getCause())) {
      return REFUSED;
    }
    return failure instanceof RetriableException
            || failure instanceof TimeoutException
            || failure instanceof InterruptedException
        ? AWAY
        : BROKEN;
  }

  private static boolean isOfRecord(@org.jspecify.annotations.Nullable Throwable failure) {
    return failure instanceof RefusedException
        || failure instanceof RecordTooLargeException
        || failure instanceof RecordBatchTooLargeException
        || failure instanceof InvalidRecordException
        || failure instanceof InvalidTopicException
        || failure instanceof TopicAuthorizationException
        || failure instanceof UnknownTopicOrPartitionException
        || isUnsupported(failure);
  }

  /** A topic can refuse records for a setting, such as records without keys if it is compacted. */
  private static boolean isUnsupported(@org.jspecify.annotations.Nullable Throwable failure) {
    return failure instanceof ApiException
        && failure instanceof CorruptRecordException == false
        && failure.getClass().getSimpleName().equals("PolicyViolationException");
  }
}
