package io.punctual.lock;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.redis.client.Answer;
import io.punctual.redis.client.RedisCallException;
import io.punctual.redis.client.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a handle up on its server, trying again until the server has answered or the handle's lease
 * must have run out. Thread-safe.
 */
final class ReleaseRequest {
  private static final Logger log = LoggerFactory.getLogger(ReleaseRequest.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long MARGIN_MILLIS = 2_000;

  /**
   * For how long the server refuses a handle whose requests may still arrive; beyond all time-outs.
   */
  private static final long REFUSE_MILLIS = 60_000;

  private final LockClient client;
  private final LockKeys place;
  private final LockOptions terms;
  private final String handle;
  private final int passed;
  private final long endNanos;
  private final CompletableFuture<ReleaseOutcome> outcome = new CompletableFuture<>();
  private final String keeper;
  private final long keepUntilNanos;
  private boolean refuse;
  private boolean repeated;

  private ReleaseRequest(
      LockClient client,
      LockKeys place,
      LockOptions terms,
      String handle,
      int passed,
      boolean refuse,
      long keepMillis) {
    this.client = client;
    this.place = place;
    this.terms = terms;
    this.handle = handle;
    this.passed = passed;
    this.refuse = refuse;
    this.endNanos =
        client.nanoTime() + TimeUnit.MILLISECONDS.toNanos(terms.leaseMillis() + MARGIN_MILLIS);
    this.keepUntilNanos = client.nanoTime() + TimeUnit.MILLISECONDS.toNanos(keepMillis);
    this.keeper = keepMillis == 0 ? "" : client.ids().next(HandleIds.mode(handle), keepMillis);
  }

  /**
   * Gives a handle up.
   *
   * @param passed how many times the lock passed on within the client meanwhile
   * @param refuse whether a question of it may still be under way
   * @return the outcome; does not fail
   */
  static CompletableFuture<ReleaseOutcome> say(
      LockClient client,
      LockKeys place,
      LockOptions terms,
      String handle,
      int passed,
      boolean refuse) {
    return say(client, place, terms, handle, passed, refuse, 0);
  }

  /** As the other, but the lock becomes free after so long. */
  static CompletableFuture<ReleaseOutcome> say(
      LockClient client,
      LockKeys place,
      LockOptions terms,
      String handle,
      int passed,
      boolean refuse,
      long keepMillis) {
    ReleaseRequest farewell =
        new ReleaseRequest(client, place, terms, handle, passed, refuse, keepMillis);
    farewell.send();
    return farewell.outcome;
  }

  private void send() {
    long refuseMillis =
        refuse ? REFUSE_MILLIS + TimeUnit.NANOSECONDS.toMillis(client.patienceNanos()) : 0;
    long sentAt = client.nanoTime();
    long keepMillis = keeper.isEmpty() ? 0 : TimeUnit.NANOSECONDS.toMillis(keepUntilNanos - sentAt);
    LockScripts scripts = LockScripts.of(place.kind());
    List<byte[]> argv =
        List.of(
            client.publishing(place),
            LockServer.bytes(handle),
            Long.toString(refuseMillis).getBytes(US_ASCII),
            Integer.toString(passed).getBytes(US_ASCII));
    CompletableFuture<Answer> asked =
        keepMillis > 0
            ? run(scripts.keep(), with(argv, keeper, Long.toString(keepMillis)))
                .thenCompose(this::confirmKept)
            : run(scripts.release(), argv);
    asked.whenComplete(
        (answer, failure) -> {
          if (failure == null) {
            answered(answer, sentAt);
          } else {
            failed(failure);
          }
        });
  }

  private CompletableFuture<Answer> run(Script script, List<byte[]> argv) {
    return client.run(script, place.withCounter(handle), argv, terms.isDurable());
  }

  private static List<byte[]> with(List<byte[]> argv, String keeper, String keepMillis) {
    List<byte[]> all = new ArrayList<>(argv);
    all.add(LockServer.bytes(keeper));
    all.add(LockServer.bytes(keepMillis));
    return all;
  }

  /** A server that takes over must know for how long the lock is kept. */
  private CompletableFuture<Answer> confirmKept(Answer answer) {
    if (!terms.isDurable()) {
      return CompletableFuture.completedFuture(answer);
    }
    return ReplicaConfirmation.confirm(client, place, terms, answer)
        .thenApply(
            why -> {
              if (why != null) {
                log.warn(
                    "Lock '{}' is kept after its release, but after a fail-over perhaps for a shorter"
                        + " time, as {}",
                    place.name(),
                    why);
                outcome.complete(ReleaseOutcome.UNCONFIRMED);
              }
              return answer;
            });
  }

  private void answered(Answer answer, long sentAt) {
    Reading reading = new Reading(answer);
    boolean held = reading.number() == 1;
    client.room().passedOn(LockServer.passed(reading), sentAt);
    outcome.complete(
        held
            ? ReleaseOutcome.RELEASED
            : repeated ? ReleaseOutcome.UNCONFIRMED : ReleaseOutcome.LOST);
  }

  private void failed(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    boolean passing = RedisCallException.isTransient(cause);
    if (!passing) {
      log.warn(
          "Lock '{}' can't be given back, and ends with its lease: {}",
          place.name(),
          cause.getMessage());
    }
    if (!passing || client.isClosed() || client.nanoTime() - endNanos > 0) {
      outcome.complete(ReleaseOutcome.UNCONFIRMED);
      return;
    }
    if (!(cause instanceof RedisCallException.NotSent)) {
      repeated = true;
    }
    // A request sent earlier over the failed connection may arrive after this one.
    refuse = true;
    if (client.after(RETRY_NANOS, this::send) == null) {
      outcome.complete(ReleaseOutcome.UNCONFIRMED);
    }
  }
}
