package io.punctual.redis;

import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.spi.Partition;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts failures of requests into exceptions of the store SPI. */
final class SpiFailures {
  /** The errors of the store's own scripts, in contrast to the errors of Redis. */
  private static final Pattern OWN =
      Pattern.compile("PUNCTUAL (?<what>format|partitions|purge|unfounded) (?<found>\\S+)");

  private SpiFailures() {}

  /** Returns a future that fails with the SPI's exception for this failure. */
  static <T> CompletableFuture<T> failed(Throwable failure) {
    return CompletableFuture.failedFuture(of(failure));
  }

  private static Throwable of(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    String message = String.valueOf(cause.getMessage());
    if (Failures.isRefusedConnection(cause)) {
      return new Partition.RefusedForNowException(message, cause.getCause());
    }
    if (cause instanceof RedisCallException.NotSent) {
      return new Partition.NotSentException(
          message,
          Failures.isRefusedConnection(cause)
              ? new StoreRefusedException(message, cause.getCause())
              : cause.getCause());
    }
    if (cause instanceof RedisCallException.Refused refused) {
      return refused(refused);
    }
    return cause instanceof RedisCallException
        ? new PunctualException(message, cause.getCause())
        : cause;
  }

  private static PunctualException refused(RedisCallException.Refused refused) {
    Matcher own = OWN.matcher(error(refused));
    if (!own.find()) {
      return new Partition.RefusedForNowException(
          String.valueOf(refused.getMessage()), refused.getCause());
    }
    return own.group("what").equals("partitions")
        ? partitionCount(own.group("found"), refused.getCause())
        : new Partition.PartitionException(
            explain(own.group("what"), own.group("found")), refused.getCause());
  }

  private static String error(RedisCallException.Refused refused) {
    return refused.getCause() == null ? "" : String.valueOf(refused.getCause().getMessage());
  }

  private static PunctualException partitionCount(String found, @Nullable Throwable cause) {
    try {
      return new Partition.PartitionCountException(PartitionCount.parse(found, cause), cause);
    } catch (Partition.PartitionException unreadable) {
      return unreadable;
    }
  }

  private static String explain(String what, String found) {
    return switch (what) {
      case "format" ->
          "The queue is stored in format "
              + found
              + ", which this version does not know; use the version that wrote it, or a newer one";
      case "unfounded" -> "The partition does not know yet how many partitions the queue has";
      default ->
          "The purge made no progress for a minute, or the queue was deleted, or a foreign program"
              + " removed the purge's key 'spared', so the server ended it; purge again";
    };
  }

  /** Returns whether a script refused the request because its partition does not exist. */
  static boolean isUnfounded(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    return cause instanceof Partition.PartitionException
        && cause.getCause() != null
        && String.valueOf(cause.getCause().getMessage()).contains("PUNCTUAL unfounded");
  }
}
