package io.punctual.redis.client;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns failures of the client library into a {@link RedisCallException}. Scripts fail before their
 * first write or not at all, so an error reply means that the server changed nothing.
 */
public final class Failures {
  /** Codes of error replies that go away by themselves, or once somebody has seen to the server. */
  private static final Pattern PASSING =
      Pattern.compile(
          "(?<![A-Za-z])(LOADING|BUSY|READONLY|MASTERDOWN|CLUSTERDOWN|MOVED|ASK|TRYAGAIN"
              + "|NOREPLICAS|MISCONF|NOSCRIPT)(?![A-Za-z])");

  /**
   * The error texts of a proxy that has lost its connection to a server. The server may have run
   * the request. Twemproxy sends the text of the operating system's error, such as "invalid
   * argument".
   */
  private static final Pattern LOST =
      Pattern.compile(
          "^(ERR|SERVER_ERROR) (Connection (refused|reset by peer|timed out)|Broken pipe"
              + "|Operation timed out|No route to host|Host is down|Network is unreachable"
              + "|(Invalid argument|unknown)$)");

  /** Inside of a script the reply lacks its code, and its words differ between versions. */
  private static final Pattern NO_RIGHT =
      Pattern.compile("NOPERM|user executing the script can't|ACL failure in script");

  private static final Pattern LOGIN = Pattern.compile("WRONGPASS|NOAUTH");

  private Failures() {}

  /** Returns the failure of a request that ended like this. */
  static RedisCallException of(Throwable failure, boolean mayHaveRun) {
    Throwable cause = unwrap(failure);
    if (cause instanceof RedisCallException known) {
      return known;
    }
    if (cause instanceof RedisCommandExecutionException) {
      return ofReply(String.valueOf(cause.getMessage()), cause);
    }
    if (mayHaveRun) {
      return new RedisCallException.Unanswered("Redis did not answer: " + describe(cause), cause);
    }
    return notSent(describe(cause), cause);
  }

  static RedisCallException notSent(String why, @Nullable Throwable cause) {
    return new RedisCallException.NotSent("Redis could not be asked: " + why, cause);
  }

  private static RedisCallException ofReply(String error, Throwable cause) {
    if (PASSING.matcher(error).find()) {
      return new RedisCallException.NotSent("Redis did nothing and said: " + error, cause);
    }
    if (LOST.matcher(error).find()) {
      return new RedisCallException.Unanswered("The proxy in front of Redis said: " + error, cause);
    }
    String hint =
        NO_RIGHT.matcher(error).find()
            ? "; the user lacks a right, see 'ACL rights' in the documentation of the Redis store"
            : "";
    return new RedisCallException.Refused("Redis refused: " + error + hint, cause);
  }

  /** Whether the server has forgotten the script. */
  static boolean isNoScript(Throwable failure) {
    return failure instanceof RedisCommandExecutionException
        && String.valueOf(failure.getMessage()).startsWith("NOSCRIPT");
  }

  /** Whether the server is a replica now, so that the connection must be replaced. */
  static boolean isWrongServer(Throwable failure) {
    return failure instanceof RedisCommandExecutionException
        && String.valueOf(failure.getMessage()).contains("READONLY ");
  }

  /** Returns the cause that a {@link CompletionException} wraps. */
  public static Throwable unwrap(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private static String withRemedy(String error) {
    return error.startsWith("NOAUTH")
        ? error + "; put the password into the URL, as in redis://:PASSWORD@host:6379"
        : error;
  }

  /** Returns whether the server refused the user, or the lack of a user, of a new connection. */
  static boolean isRefusedLogin(Throwable failure) {
    return root(failure) instanceof RedisCommandExecutionException refusal
        && LOGIN.matcher(String.valueOf(refusal.getMessage())).lookingAt();
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root;
  }

  /** Returns the reason for the user why a question for a confirmation has brought none. */
  static String unconfirmed(Throwable failure) {
    return "the question was not answered: " + describe(unwrap(failure));
  }

  /** Returns the message of a failure and of its cause; for a refusal, the server's error. */
  static String describe(Throwable failure) {
    Throwable root = root(failure);
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
