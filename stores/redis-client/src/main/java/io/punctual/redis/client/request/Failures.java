package io.punctual.redis.client.request;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Converts failures of the client library into a {@link RedisCallException}. The scripts fail only
 * before their first change, so an error reply of Redis itself means that the server changed
 * nothing. An error of something between this client and Redis, such as a proxy, proves nothing:
 * the server may have run the request. Only errors that are known to come from Redis count as its
 * own.
 */
public final class Failures {
  /**
   * Codes of Redis's error replies that are temporary: the cause ends by itself, or when an
   * operator corrects the server.
   */
  private static final String PASSING_CODES =
      "LOADING|BUSY|READONLY|MASTERDOWN|CLUSTERDOWN|MOVED|ASK|TRYAGAIN|NOREPLICAS|MISCONF|NOSCRIPT";

  private static final Pattern PASSING = Pattern.compile("(" + PASSING_CODES + ")\\b");

  /** Errors of a healthy server: it names a different node for a slot, or lacks a script. */
  private static final Pattern HEALTHY =
      Pattern.compile(".*(?<![A-Za-z])(MOVED|ASK|TRYAGAIN|NOSCRIPT)(?![A-Za-z])");

  /**
   * Errors inside a script. Redis 6.2 writes the code of the error into the text, and later
   * versions write it at the beginning.
   */
  private static final Pattern IN_SCRIPT = Pattern.compile("Error running script|user_script");

  private static final Pattern PASSING_IN_SCRIPT =
      Pattern.compile("(?<![A-Za-z])(" + PASSING_CODES + ")(?![A-Za-z])");

  /**
   * The errors of a server that is not the primary: a replica, a replica without its primary, and a
   * node or a proxy that does not have the primary.
   */
  private static final Pattern NOT_PRIMARY =
      Pattern.compile(
          "READONLY\\b|MASTERDOWN\\b|REDIRECT\\b|NOMASTERLINK\\b|NOT_?(LEADER|MASTER|PRIMARY)\\b"
              + "|NO_?(LEADER|MASTER|PRIMARY)\\b|.*\\bnot (a|the) (master|primary|leader)\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern NOT_PRIMARY_IN_SCRIPT =
      Pattern.compile("(?<![A-Za-z])(READONLY|MASTERDOWN)(?![A-Za-z])");

  /** Other codes of Redis's error replies, without ERR. */
  private static final Pattern LASTING =
      Pattern.compile(
          "(BUSYGROUP|BUSYKEY|CROSSSLOT|DENIED|EXECABORT|INVALIDOBJ|NOAUTH|NOPERM|NOPROTO|NOTBUSY"
              + "|OOM|PUNCTUAL|UNKILLABLE|WRONGPASS|WRONGTYPE)\\b");

  /**
   * Redis's texts behind ERR about requests that it does not run. Proxies also use ERR for errors
   * of their own.
   */
  private static final Pattern NOT_RUN =
      Pattern.compile(
          "ERR (unknown command|unknown subcommand|wrong number of arguments|Error compiling script"
              + "|Number of keys can't be|max number of clients reached|The user executing the"
              + " script can't|ACL failure in script|invalid DB index|DB index is out of range)",
          Pattern.CASE_INSENSITIVE);

  /**
   * The errors of a proxy that has lost its connection to a server, as far as they are known.
   * Twemproxy sends the text of the operating system's error, for example "invalid argument".
   */
  private static final Pattern LOST =
      Pattern.compile(
          "ERR (Connection (refused|reset by peer|timed out)|Broken pipe"
              + "|Operation timed out|No route to host|Host is down|Network is unreachable"
              + "|(Invalid argument|unknown)$)");

  /**
   * Errors about a missing right. An error inside a script lacks the code NOPERM, and its text
   * differs between versions.
   */
  private static final Pattern NO_RIGHT =
      Pattern.compile("NOPERM|user executing the script can't|ACL failure in script");

  /** The errors of a server about the credentials or the database of a new connection. */
  private static final Pattern REFUSED_AT_CONNECT =
      Pattern.compile(
          "WRONGPASS|NOAUTH|ERR (AUTH |invalid DB index|DB index is out of range"
              + "|SELECT is not allowed in cluster mode)");

  private Failures() {}

  /**
   * Returns the exception for the failure of a request to a server, without a proxy.
   *
   * @param mayHaveRun whether the server may have run the request, if the failure is not an error
   *     reply
   */
  public static RedisCallException of(Throwable failure, boolean mayHaveRun) {
    return of(failure, mayHaveRun, false);
  }

  /**
   * Returns the exception for the failure of a request.
   *
   * @param mayHaveRun whether the server may have run the request, if the failure is not an error
   *     reply
   * @param proxy whether the server is a proxy, which can send errors of its own
   */
  public static RedisCallException of(Throwable failure, boolean mayHaveRun, boolean proxy) {
    Throwable cause = unwrap(failure);
    if (cause instanceof RedisCallException known) {
      return known;
    }
    if (cause instanceof RedisCommandExecutionException) {
      return ofReply(String.valueOf(cause.getMessage()), cause, proxy);
    }
    if (mayHaveRun) {
      return new RedisCallException.Unanswered("Redis did not answer: " + describe(cause), cause);
    }
    return notSent(describe(cause), cause);
  }

  public static RedisCallException notSent(String why, @Nullable Throwable cause) {
    return new RedisCallException.NotSent("Redis could not be asked: " + why, cause);
  }

  private static RedisCallException ofReply(String error, Throwable cause, boolean proxy) {
    if (isPassing(error)) {
      return new RedisCallException.NotSent("Redis did nothing and said: " + error, cause);
    }
    if (!isOfRedis(error, proxy)) {
      String who = proxy ? "The proxy in front of Redis" : "Redis, or a proxy in front of it,";
      return new RedisCallException.Unanswered(who + " said: " + error, cause);
    }
    String hint =
        NO_RIGHT.matcher(error).find()
            ? "; the user lacks a right, see 'ACL rights' in the documentation of the Redis store"
            : "";
    return new RedisCallException.Refused("Redis refused: " + error + hint, cause);
  }

  private static boolean isPassing(String error) {
    return PASSING.matcher(error).lookingAt()
        || (IN_SCRIPT.matcher(error).find() && PASSING_IN_SCRIPT.matcher(error).find());
  }

  private static boolean isOfRedis(String error, boolean proxy) {
    boolean isCertain =
        LASTING.matcher(error).lookingAt()
            || NOT_RUN.matcher(error).lookingAt()
            || IN_SCRIPT.matcher(error).find();
    return isCertain || (!proxy && error.startsWith("ERR ") && !LOST.matcher(error).lookingAt());
  }

  /** Returns whether the server has forgotten the script. */
  public static boolean isNoScript(Throwable failure) {
    return failure instanceof RedisCommandExecutionException
        && String.valueOf(failure.getMessage()).startsWith("NOSCRIPT");
  }

  /**
   * Returns whether the server says that it is not the primary, so that the connection must be
   * replaced.
   */
  public static boolean isWrongServer(Throwable failure) {
    String error = errorReply(failure);
    return NOT_PRIMARY.matcher(error).lookingAt()
        || (IN_SCRIPT.matcher(error).find() && NOT_PRIMARY_IN_SCRIPT.matcher(error).find());
  }

  /** Returns whether the failure is an error reply, of the server or of a proxy. */
  public static boolean isReply(Throwable failure) {
    return !errorReply(failure).isEmpty();
  }

  /**
   * Returns whether the server refused the request with an error reply that is temporary, and not
   * usual for a healthy server.
   */
  public static boolean isOutageReply(Throwable failure) {
    String error = errorReply(failure);
    return isPassing(error) && !HEALTHY.matcher(error).lookingAt();
  }

  /** Returns the text of the server's error reply; empty if the failure is not an error reply. */
  private static String errorReply(Throwable failure) {
    Throwable cause = unwrap(failure);
    Throwable reply = cause instanceof RedisCallException ? cause.getCause() : cause;
    return reply instanceof RedisCommandExecutionException
        ? String.valueOf(reply.getMessage())
        : "";
  }

  /** Returns the cause that a {@link CompletionException} wraps, or a different failure itself. */
  public static Throwable unwrap(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  /**
   * Returns whether the server refused a new connection for good: the credentials are wrong or
   * missing, or it has no such database.
   */
  public static boolean isRefusedConnection(Throwable failure) {
    return root(failure) instanceof RedisCommandExecutionException refusal
        && REFUSED_AT_CONNECT.matcher(String.valueOf(refusal.getMessage())).lookingAt();
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root;
  }

  /**
   * Returns the text that tells the user why there is no confirmation, after the request for the
   * confirmation has failed.
   */
  public static String unconfirmed(Throwable failure) {
    return "the question was not answered: " + describe(unwrap(failure));
  }

  /**
   * Returns the message of a failure and of its root cause, or the name of its class if it has no
   * message; for an error reply of the server, the server's text. With the remedy, if there is one.
   */
  public static String describe(Throwable failure) {
    Throwable root = root(failure);
    String message = failure.getMessage();
    if (message == null) {
      return failure.getClass().getSimpleName();
    }
    if (root instanceof RedisCommandExecutionException) {
      return Remedies.ofReply(String.valueOf(root.getMessage()));
    }
    if (Remedies.isOfHandshake(failure)) {
      return Remedies.ofHandshake(String.valueOf(root.getMessage()));
    }
    return root == failure ? message : message + " (" + root.getMessage() + ")";
  }
}
