package io.punctual.view;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a request ended: its status in HTTP, the exit code of the command line, and for a failure the
 * type of its problem, whether the change was done, and when to make the request again. {@link
 * Outcomes} chooses the row for an outcome and for an exception.
 */
public enum Outcome {
  // Requests that were answered.
  /** The request was done. */
  OK(200, Exit.OK),
  /** A message was stored. */
  CREATED(201, Exit.OK),
  /** A consumer holds the message, and its cancel takes effect later. */
  ACCEPTED(202, Exit.FAILURE),
  /** A message with the same id was kept. */
  KEPT(200, Exit.NOT_STORED),
  /** The delivery has lost its lease. */
  LEASE_LOST(409, Exit.FAILURE, "The delivery has lost its lease", Done.NOT_DONE),

  // Wrong requests.
  /** The request is wrong. */
  INVALID(400, Exit.USAGE, "The request is wrong", Done.NOT_DONE),
  /** The request has no valid proof of its sender. */
  UNAUTHENTICATED(401, Exit.FAILURE, "The request has no valid proof of its sender", Done.NOT_DONE),
  /** The caller has no right to this. */
  FORBIDDEN(403, Exit.FAILURE, "The caller has no right to this", Done.NOT_DONE),
  /** There is no such queue, message or path. */
  NOT_FOUND(404, Exit.NOT_FOUND, "There is nothing of this name", Done.NOT_DONE),
  /** The method does not fit the path. */
  METHOD_NOT_ALLOWED(405, Exit.USAGE, "The method does not fit the path", Done.NOT_DONE),
  /** The caller accepts no type that the answer can have. */
  NOT_ACCEPTABLE(406, Exit.USAGE, "The answer has another type", Done.NOT_DONE),
  /** A message with the same id exists, and the caller wants none. */
  EXISTS(409, Exit.NOT_STORED, "The id is in use", Done.NOT_DONE),
  /** The state of a message or queue does not allow the change. */
  CONFLICT(409, Exit.FAILURE, "The state does not allow the change", Done.NOT_DONE),
  /** The request is too large. */
  TOO_LARGE(413, Exit.FAILURE, "The request is too large", Done.NOT_DONE),
  /** The type of the body is not known. */
  UNSUPPORTED_MEDIA_TYPE(415, Exit.USAGE, "The type of the body is not known", Done.NOT_DONE),
  /** The request is for another host. */
  MISDIRECTED(421, Exit.FAILURE, "The request is for another host", Done.NOT_DONE),
  /** The store does not support this. */
  UNSUPPORTED(422, Exit.FAILURE, "The store does not support this", Done.NOT_DONE),
  /** A payload or a recurrence can't be read. */
  UNREADABLE(422, Exit.FAILURE, "The stored content can't be read", Done.NOT_DONE),

  // Requests that may be made again.
  /** The caller has too many requests. */
  TOO_MANY(429, Exit.FAILURE, "The caller has too many requests", Done.NOT_DONE, 1),
  /** Too many operations wait for the store. */
  BUSY(503, Exit.FAILURE, "Too many operations wait for the store", Done.NOT_DONE, 1),
  /** An open transaction has locked the message. */
  LOCKED(503, Exit.FAILURE, "An open transaction has locked the message", Done.NOT_DONE, 1),
  /** The store has no room. */
  FULL(503, Exit.FAILURE, "The store has no room", Done.NOT_DONE, 30),
  /** The store refuses the operation. */
  REFUSED(503, Exit.FAILURE, "The store refuses the operation", Done.NOT_DONE, 30),
  /** The client of the store is closed. */
  CLOSED(503, Exit.FAILURE, "The client of the store is closed", Done.NOT_DONE, 5),
  /** The store does not answer. */
  UNAVAILABLE(503, Exit.UNREACHABLE, "The store does not answer", Done.NOT_DONE, 5),
  /** The store did not answer in time, and may have made the change. */
  IN_DOUBT(504, Exit.FAILURE, "The store did not answer in time", Done.UNKNOWN),
  /** The change was made, and disk or replicas did not confirm it. */
  NOT_CONFIRMED(504, Exit.FAILURE, "The change is done, but not confirmed", Done.DONE),
  /** An unexpected failure. */
  INTERNAL(500, Exit.FAILURE, "An unexpected failure", Done.UNKNOWN);

  /** Whether a change was done. */
  public enum Done {
    /** The change was done. */
    DONE,
    /** The change was certainly not done. */
    NOT_DONE,
    /** The change may have been done or not. */
    UNKNOWN;

    /** Returns the text in a problem, such as {@code not-done}. */
    public String text() {
      return hyphenated(this);
    }
  }

  /** The exit codes of the command line. */
  public static final class Exit {
    /** Done. */
    public static final int OK = 0;

    /** Failed, or done in part. */
    public static final int FAILURE = 1;

    /** Wrong usage. */
    public static final int USAGE = 2;

    /** No such queue, message or lock. */
    public static final int NOT_FOUND = 3;

    /** A message was not stored, because its id is in use or is remembered. */
    public static final int NOT_STORED = 4;

    /** The store can't be reached, or gave no answer. */
    public static final int UNREACHABLE = 5;

    private Exit() {}
  }

  private static final String TYPES = "urn:punctual:problem:";

  private final int status;
  private final int exitCode;
  private final @Nullable String title;
  private final Done done;
  private final int retrySeconds;

  Outcome(int status, int exitCode) {
    this(status, exitCode, null, Done.DONE, 0);
  }

  Outcome(int status, int exitCode, String title, Done done) {
    this(status, exitCode, title, done, 0);
  }

  Outcome(int status, int exitCode, @Nullable String title, Done done, int retrySeconds) {
    this.status = status;
    this.exitCode = exitCode;
    this.title = title;
    this.done = done;
    this.retrySeconds = retrySeconds;
  }

  /** Returns the status in HTTP. */
  public int status() {
    return status;
  }

  /** Returns the exit code of the command line. */
  public int exitCode() {
    return exitCode;
  }

  /** Returns whether the request failed, so that its answer is a problem. */
  public boolean isProblem() {
    return title != null;
  }

  /** Returns the type of the problem, such as {@code urn:punctual:problem:not-found}. */
  public String type() {
    return TYPES + hyphenated(this);
  }

  /** Returns the title of the problem, or an empty text if the request did not fail. */
  public String title() {
    return title == null ? "" : title;
  }

  /** Returns whether the change was done. */
  public Done done() {
    return done;
  }

  /** Returns after how long the same request can succeed, or empty if it need not be repeated. */
  public Optional<Duration> retryAfter() {
    return retrySeconds == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(retrySeconds));
  }

  private static String hyphenated(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
