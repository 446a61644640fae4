package io.punctual.httpstore.service;

import io.punctual.httpstore.wire.Failure;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Requests;
import io.punctual.httpstore.wire.UnreadableException;
import io.punctual.httpstore.wire.Wire;
import io.punctual.internal.log.Logs;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Executes the requests of HTTP stores on the store of a server. An HTTP server passes it the last
 * part of the path {@code /store/v1/…} and the body of each POST.
 *
 * <p>A repeated request is harmless: the changes of messages are numbered calls, which the store
 * executes once, and the other requests can be executed again. Queues of the server itself, whose
 * names begin with {@link #OWN}, are refused to all clients.
 *
 * <p>Safe for use by many threads.
 */
public final class StoreService implements AutoCloseable {
  /** The path of the requests. */
  public static final String PATH = "/store/" + Wire.VERSION + "/";

  /** The largest body of a request in bytes. */
  public static final int MAX_BODY = Wire.MAX_BODY;

  /** The prefix of the names of the server's own queues. */
  public static final String OWN = "punctual.server.";

  private static final Logger log = Logs.of(StoreService.class);

  private final Requested requested;

  /**
   * Creates the service.
   *
   * @param store the server's own store, which stays open when the service is closed
   * @param timer the timer for waits, which must stay open until the service is closed
   */
  public StoreService(Store store, DueTimer timer) {
    this(store, timer, InstantSource.system(), Duration.ofMillis(100));
  }

  /**
   * Creates the service of a store with a clock.
   *
   * @param clock the store's clock
   * @param patience how long a call that has overtaken an earlier call of its session waits for it
   */
  public StoreService(Store store, DueTimer timer, InstantSource clock, Duration patience) {
    requested = new Requested(store, timer, clock, patience);
  }

  /**
   * Executes a request. The stage never fails. A caller that completes the stage itself ends the
   * wait of a client that is gone.
   *
   * @param name the part of the path after {@link #PATH}
   * @param body the body, at most {@link #MAX_BODY}
   * @param access what the sender may use; the service adds the restriction of {@link #OWN}
   */
  public CompletableFuture<Served> serve(String name, byte[] body, Access access) {
    CompletableFuture<Served> served = new CompletableFuture<>();
    try {
      Class<? extends Request<?>> type = Requests.named(name).orElse(null);
      if (type == null) {
        return CompletableFuture.completedFuture(
            failed(
                Failure.Kind.NO_SUCH_REQUEST,
                "The server has no request '"
                    + name
                    + "' of the HTTP store; use a server with the"
                    + " version of the client or a newer one"));
      }
      Request<?> request = Wire.request(type, body);
      RequestChecks.check(request);
      Access restricted = new WithoutOwn(access);
      requireRight(request, restricted);
      CompletableFuture<?> answer = requested.answer(request, restricted).toCompletableFuture();
      CompletableFuture<?> unused = served.whenComplete((sent, failure) -> answer.cancel(false));
      CompletableFuture<?> ignored =
          answer.whenComplete(
              (value, failure) -> {
                Served sent = served(request, value, failure);
                served.complete(sent);
                tellChanges(request, access, value, failure, sent.status());
              });
    } catch (Throwable e) {
      served.complete(failed(e));
    }
    return served;
  }

  private static void requireRight(Request<?> request, Access access) {
    // A client listens to all its queues at a time; it gets no hints about those of others.
    boolean isOfAll = request instanceof Request.Listen;
    for (String queue : isOfAll ? List.<String>of() : request.queues()) {
      if (!access.may(queue)) {
        throw new ForbiddenException(access, queue);
      }
    }
    if (access.prefixes().isEmpty()) {
      throw new ForbiddenException(access, "");
    }
  }

  private static void tellChanges(
      Request<?> request,
      Access access,
      @Nullable Object value,
      @Nullable Throwable failure,
      int status) {
    boolean isDone =
        failure == null
            ? !(value instanceof Reply) || value instanceof Reply.Applied
            : kind(unwrapped(failure)) == Failure.Kind.UNKNOWN;
    if (!isDone) {
      return;
    }
    for (Change change : Change.of(request)) {
      try {
        access.changed(change, status);
      } catch (RuntimeException e) {
        log.error("A change by {} is not in the audit: {}", access.name(), change, e);
      }
    }
  }

  private Served served(Request<?> request, @Nullable Object value, @Nullable Throwable failure) {
    if (failure != null) {
      if (unwrapped(failure) instanceof Partition.PartitionCountException count
          && request instanceof Request.OfPartition<?> of
          && of.place().partitions() != count.partitions()) {
        requested.forget(of.place());
      }
      return failed(failure);
    }
    if (request instanceof Request.MakeCall call && !(value instanceof Reply.NoSession)) {
      requested.answered(call.place());
    }
    try {
      return served(request, Objects.requireNonNull(value));
    } catch (Throwable e) {
      return failed(e);
    }
  }

  private static Served served(Request<?> request, Object value) {
    CompletionStage<@Nullable String> confirmation =
        value instanceof Reply.Applied applied ? applied.confirmation() : null;
    if (confirmation == null) {
      return new Served(200, Wire.TYPE, document(request, value), null);
    }
    byte[] first = document(request, value);
    return new Served(
        200,
        Wire.TYPE_OF_TWO,
        Wire.withLength(first),
        confirmation
            .exceptionally(failure -> String.valueOf(failure.getMessage()))
            .thenApply(why -> Wire.write(Wire.CONFIRMATION, Optional.ofNullable(why))));
  }

  private static byte[] document(Request<?> request, Object value) {
    return Wire.write(Requests.answer(request.getClass()), value);
  }

  /**
   * Returns the answer to a request that the HTTP server refuses itself.
   *
   * @param status 401, 403, 404, 405 or 413
   * @param why the reason and the remedy
   */
  public static Served refused(int status, String why) {
    return failed(
        switch (status) {
          case 401 -> Failure.Kind.UNAUTHENTICATED;
          case 403 -> Failure.Kind.FORBIDDEN;
          case 404 -> Failure.Kind.NO_SUCH_REQUEST;
          case 405 -> Failure.Kind.WRONG_METHOD;
          case 413 -> Failure.Kind.TOO_LARGE;
          default -> throw new IllegalArgumentException("No refusal has the status " + status);
        },
        why);
  }

  /** Returns the answer to a request that was ended before the store has answered it. */
  public static Served ended(String why) {
    return failed(Failure.Kind.UNKNOWN, why);
  }

  private static Served failed(Failure.Kind kind, String message) {
    return failed(new Failure(kind, message, 0));
  }

  private static Served failed(Failure failure) {
    return new Served(failure.kind().status(), Wire.TYPE, Wire.write(Failure.class, failure), null);
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static Served failed(Throwable failure) {
    Throwable cause = unwrapped(failure);
    String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    if (cause instanceof Partition.PartitionCountException count) {
      return failed(new Failure(Failure.Kind.PARTITION_COUNT, message, count.partitions()));
    }
    Failure.Kind kind = kind(cause);
    if (kind == Failure.Kind.UNKNOWN) {
      log.debug("A request failed, and may have been executed", cause);
    }
    return failed(
        kind, kind == Failure.Kind.UNREADABLE ? "The body is not a request: " + message : message);
  }

  private static Failure.Kind kind(Throwable cause) {
    if (cause instanceof Partition.NotSentException) {
      return Failure.Kind.NOT_SENT;
    }
    if (cause instanceof Partition.RefusedForNowException) {
      return Failure.Kind.REFUSED_FOR_NOW;
    }
    if (cause instanceof Partition.PartitionException) {
      return Failure.Kind.REFUSED;
    }
    if (cause instanceof ForbiddenException) {
      return Failure.Kind.FORBIDDEN;
    }
    if (cause instanceof UnreadableException) {
      return Failure.Kind.UNREADABLE;
    }
    if (cause instanceof IllegalArgumentException) {
      return Failure.Kind.WRONG;
    }
    return cause instanceof UnsupportedOperationException
        ? Failure.Kind.UNSUPPORTED
        : Failure.Kind.UNKNOWN;
  }

  /** Ends all waits, and answers new waits at once. Other requests are served as before. */
  public void drain() {
    requested.drain();
  }

  /** Ends all waits and the service's own work. The store stays open. */
  @Override
  public void close() {
    requested.close();
  }
}
