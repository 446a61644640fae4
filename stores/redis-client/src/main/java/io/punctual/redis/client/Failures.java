package io.punctual.redis.client;

import io.lettuce.core.RedisCommandExecutionException;
import io.punctual.PunctualException;
import io.punctual.spi.Partition;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Translates the failure of a command: not run and worth a retry, refused for good, or unknown.
 *
 * <p>Scripts fail before their first write or not at all, so an error reply means that nothing
 * changed.
 */
public final class Failures {
  /** Codes of error replies that go away by themselves, or once somebody has seen to the server. */
  private static final Pattern PASSING =
      Pattern.compile(
          "(?<![A-Za-z])(LOADING|BUSY|READONLY|MASTERDOWN|CLUSTERDOWN|MOVED|ASK|TRYAGAIN"
              + "|NOREPLICAS|MISCONF|NOSCRIPT)(?![A-Za-z])");

  /**
   * A proxy's words when it has lost a server: it does not know whether the server did anything.
   * Twemproxy passes on the text of the system's error, also of "invalid argument" and "unknown".
   */
  private static final Pattern LOST =
      Pattern.compile(
          "^(ERR|SERVER_ERROR) (Connection (refused|reset by peer|timed out)|Broken pipe"
              + "|Operation timed out|No route to host|Host is down|Network is unreachable"
              + "|(Invalid argument|unknown)$)");

  /** Inside of a script the reply lacks its code, and its words differ between versions. */
  private static final Pattern NO_RIGHT =
      Pattern.compile("NOPERM|user executing the script can't|ACL failure in script");

  private static final Pattern OWN =
      Pattern.compile("PUNCTUAL (?<what>format|partitions|purge|unfounded) (?<found>\\S+)");

  private Failures() {}

  /** Returns the exception for a command that failed with this. */
  static PunctualException of(Throwable failure, boolean mayHaveRun) {
    Throwable cause = unwrap(failure);
    if (cause instanceof PunctualException known) {
      return known;
    }
    if (cause instanceof RedisCommandExecutionException) {
      return ofReply(String.valueOf(cause.getMessage()), cause);
    }
    if (mayHaveRun) {
      return new PunctualException("Redis did not answer: " + describe(cause), cause);
    }
    return notSent(describe(cause), cause);
  }

  static Partition.NotSentException notSent(String why, @Nullable Throwable cause) {
    return new Partition.NotSentException("Redis could not be asked: " + why, cause);
  }

  private static PunctualException ofReply(String error, Throwable cause) {
    Matcher own = OWN.matcher(error);
    if (own.find()) {
      if (own.group("what").equals("partitions")) {
        return partitionCount(own, cause);
      }
      return new Partition.PartitionException(
          explain(own.group("what"), own.group("found")), cause);
    }
    if (PASSING.matcher(error).find()) {
      return new Partition.NotSentException("Redis did nothing and said: " + error, cause);
    }
    if (LOST.matcher(error).find()) {
      return new PunctualException("The proxy in front of Redis said: " + error, cause);
    }
    String hint =
        NO_RIGHT.matcher(error).find()
            ? "; the user lacks a right, see 'ACL rights' in the documentation of the Redis store"
            : "";
    return new Partition.PartitionException("Redis refused: " + error + hint, cause);
  }

  private static PunctualException partitionCount(Matcher own, Throwable cause) {
    try {
      return new Partition.PartitionCountException(
          partitionCount(own.group("found"), cause), cause);
    } catch (Partition.PartitionException nonsense) {
      return nonsense;
    }
  }

  /**
   * Returns how many partitions a queue has, as its first partition says.
   *
   * @throws Partition.PartitionException if no queue can have that number
   */
  public static int partitionCount(String text, @Nullable Throwable cause) {
    if (text.matches("[1-9]\\d{0,3}")) {
      return Integer.parseInt(text);
    }
    throw new Partition.PartitionException(
        "The field 'partitions' in the queue's key 'meta' says '"
            + text
            + "' and not 1 to 1000; somebody changed it by hand, so set it back",
        cause);
  }

  private static String explain(String what, String found) {
    return switch (what) {
      case "format" ->
          "The queue is stored in format "
              + found
              + ", which this version does not know; use the version that wrote it, or a newer one";
      case "unfounded" -> "The partition has not been told yet how many partitions the queue has";
      default -> "The purge was not heard of for a minute, and is over; purge again";
    };
  }

  /** Whether the server has forgotten the script. */
  static boolean isNoScript(Throwable failure) {
    return failure instanceof RedisCommandExecutionException
        && String.valueOf(failure.getMessage()).startsWith("NOSCRIPT");
  }

  /** Whether a partition refuses since it has not been told how many partitions there are. */
  public static boolean isUnfounded(Throwable failure) {
    Throwable cause = unwrap(failure);
    return cause instanceof Partition.PartitionException
        && cause.getCause() != null
        && String.valueOf(cause.getCause().getMessage()).contains("PUNCTUAL unfounded");
  }

  /** Whether the server is a replica now, so that the connection must be replaced. */
  static boolean isWrongServer(Throwable failure) {
    return failure instanceof RedisCommandExecutionException
        && String.valueOf(failure.getMessage()).contains("READONLY ");
  }

  public static Throwable unwrap(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private static String withRemedy(String error) {
    return error.startsWith("NOAUTH")
        ? error + "; put the password into the URL, as in redis://:PASSWORD@host:6379"
        : error;
  }

  /** Returns the message of a failure and of its cause; for a refusal, the server's error. */
  static String describe(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String message = failure.getMessage();
    if (message == null) {
      return failure.getClass().getSimpleName();
    }
    if (root instanceof RedisCommandExecutionException) {
      return withRemedy(String.valueOf(root.getMessage()));
    }
    return root == failure ? message : message + " (" + root.getMessage() + ")";
  }
}
