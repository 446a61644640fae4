package io.punctual.webhook;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.ReportedException;
import io.punctual.RetryAfterException;
import io.punctual.RetryPolicy;
import io.punctual.Settlement;
import io.punctual.TimedQueue;
import io.punctual.http.webhook.WebhookAttempt;
import io.punctual.http.webhook.WebhookKey;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookState;
import io.punctual.http.webhook.WebhookView;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A target in this process. Its sources take messages while it is on. After several failures in a
 * row its circuit opens: the sources pause in all processes, and one of them tries a message every
 * 30 seconds. Thread-safe.
 */
final class Target {
  /** After so many failures in a row, the circuit opens. */
  static final int MOST_FAILURES = 5;

  /** The time from one trial of an open circuit to the next. */
  static final Duration TRIAL = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(Target.class);

  private final Context context;
  private volatile WebhookRecord record;
  private final boolean isConfigured;
  private final RetryPolicy policy;
  private final Pace pace;
  private final HourFigures figures;
  private final Caller caller;
  private final Sources sources;
  private final Pause pause;
  private WebhookState state;
  private int failures;
  private volatile boolean isRemoved;

  /**
   * Creates it without sources.
   *
   * @param figures the figures of the target that this one replaces, or new ones
   */
  Target(
      Context context,
      WebhookRecord record,
      boolean isConfigured,
      WebhookState state,
      HourFigures figures) {
    this.context = context;
    this.record = record;
    this.isConfigured = isConfigured;
    this.state = state;
    this.figures = figures;
    WebhookSpec spec = record.spec();
    policy =
        spec.retries().isEmpty()
            ? RetryPolicy.never()
            : schedule(spec.retries()).maxAttempts(spec.attempts());
    pace = new Pace(context.timer(), context.executor(), spec.rate(), spec.per());
    caller = new Caller(context);
    sources = new Sources(context, spec, policy, this::handle, this::isOn);
    pause = new Pause(context.timer(), this::refresh);
  }

  private static RetryPolicy schedule(List<Duration> retries) {
    return (attempt, failure, random) ->
        attempt <= retries.size() ? Optional.of(retries.get(attempt - 1)) : Optional.empty();
  }

  WebhookRecord record() {
    return record;
  }

  /** Signs with other keys from the next call on. */
  void use(List<WebhookKey> keys) {
    record = new WebhookRecord(spec(), keys);
  }

  WebhookSpec spec() {
    return record.spec();
  }

  boolean isConfigured() {
    return isConfigured;
  }

  synchronized WebhookState state() {
    return state;
  }

  HourFigures figures() {
    return figures;
  }

  List<String> queues() {
    return sources.queues();
  }

  /** Begins to take messages, if the target is on. */
  void start() {
    sources.start();
  }

  /** Ends to take messages, and lets calls that run end within a time. */
  CompletionStage<?> stop(Duration grace) {
    return sources.stop(grace);
  }

  /** Ends as {@link #stop} does; calls that run no longer change the state of its name. */
  CompletionStage<?> remove(Duration grace) {
    isRemoved = true;
    return stop(grace);
  }

  synchronized WebhookView view() {
    Instant now = context.clock().instant();
    Optional<Duration> rest =
        state.kind() == WebhookState.Kind.ON ? pause.rest() : Optional.empty();
    Instant nextTry =
        rest.isPresent()
            ? now.plus(rest.get())
            : state.kind() == WebhookState.Kind.OPEN ? nextTrial(now) : null;
    return new WebhookView(
        spec(),
        record.keys().stream().filter(key -> key.signsAt(now)).toList(),
        isConfigured,
        rest.isPresent()
            ? new WebhookState(
                WebhookState.Kind.PAUSED, "It asked to wait, by Retry-After", state.since())
            : state,
        figures.at(now),
        nextTry);
  }

  private Instant nextTrial(Instant now) {
    long passed = Math.max(0, Duration.between(state.since(), now).toMillis());
    return state.since().plus(TRIAL.multipliedBy(passed / TRIAL.toMillis() + 1));
  }

  private synchronized boolean isOn() {
    return state.kind() == WebhookState.Kind.ON
        && !context.isReadOnly().getAsBoolean()
        && !pause.isOn();
  }

  /** Takes messages or not, as the state and the mode of the process say. */
  void refresh() {
    sources.refresh();
  }

  /** Uses a state that this process or another one has written. */
  void apply(WebhookState next) {
    synchronized (this) {
      if (state.equals(next)) {
        return;
      }
      boolean isBack = next.kind() == WebhookState.Kind.ON;
      state = next;
      if (isBack) {
        failures = 0;
        pause.clear();
      }
    }
    refresh();
  }

  /** Changes the state in all processes. The stage fails if the store does not take it. */
  CompletionStage<@Nullable Void> change(WebhookState.Kind kind, String reason) {
    if (isRemoved) {
      return CompletableFuture.completedFuture(null);
    }
    WebhookState next = new WebhookState(kind, reason, context.clock().instant());
    apply(next);
    if (kind == WebhookState.Kind.ON) {
      LOG.info("The webhook {} is on", spec().name());
    } else {
      LOG.warn("The webhook {} is {}: {}", spec().name(), kind, reason);
    }
    return context.records().save(spec().name(), next, isConfigured);
  }

  private CompletionStage<?> handle(Delivery<byte[]> delivery) {
    CompletableFuture<@Nullable Object> done = new CompletableFuture<>();
    pace.run(() -> beginOrFail(delivery, done));
    return done;
  }

  /** A call that has waited runs where nobody sees its exception. */
  private void beginOrFail(Delivery<byte[]> delivery, CompletableFuture<@Nullable Object> done) {
    try {
      if (!done.isDone()) {
        begin(delivery, done);
      }
    } catch (RuntimeException | Error e) {
      done.completeExceptionally(e);
    }
  }

  private void begin(Delivery<byte[]> delivery, CompletableFuture<@Nullable Object> done) {
    if (!isOn()) {
      pass(delivery.async().release(), done);
      return;
    }
    CompletableFuture<Answered> call = caller.call(record, delivery);
    // The worker cancels the stage at a lost lease and at the end of its grace period.
    CompletionStage<?> unused =
        done.whenComplete(
            (result, failure) -> {
              if (done.isCancelled()) {
                call.cancel(false);
              }
            });
    pass(
        call.thenCompose(
            answered -> {
              Optional<RuntimeException> failed = judge(delivery, answered);
              if (answered.isGone()) {
                return delivery.async().release();
              }
              return failed.isPresent()
                  ? CompletableFuture.failedFuture(failed.get())
                  : CompletableFuture.completedFuture(null);
            }),
        done);
  }

  private static void pass(CompletionStage<?> stage, CompletableFuture<@Nullable Object> done) {
    stage.whenComplete(
        (result, failure) -> {
          if (failure == null) {
            done.complete(null);
          } else {
            done.completeExceptionally(failure);
          }
        });
  }

  /** Learns from an answer, and returns the failure of the message, if it failed. */
  private Optional<RuntimeException> judge(Delivery<byte[]> delivery, Answered answered) {
    Instant now = context.clock().instant();
    figures.add(now, answered.isDelivered(), answered.millis());
    boolean isLast = delivery.attempt() >= spec().attempts();
    Duration delay =
        isLast
            ? Duration.ZERO
            : answered.retryAfter().orElseGet(() -> spec().retries().get(delivery.attempt() - 1));
    WebhookAttempt.Outcome outcome =
        answered.isDelivered()
            ? WebhookAttempt.Outcome.DELIVERED
            : answered.isGone()
                ? WebhookAttempt.Outcome.DISABLED
                : isLast ? WebhookAttempt.Outcome.DEAD : WebhookAttempt.Outcome.RETRY;
    context
        .log()
        .add(
            spec().name(),
            caller.logged(
                delivery,
                answered,
                outcome,
                now,
                outcome == WebhookAttempt.Outcome.RETRY ? now.plus(delay) : null));
    if (answered.isDelivered()) {
      succeeded();
      return Optional.empty();
    }
    if (answered.isGone()) {
      written(change(WebhookState.Kind.DISABLED, "It answered 410 (gone)"));
      return Optional.empty();
    }
    failed(answered);
    String place = "webhook " + spec().name();
    ReportedException failure = new ReportedException(answered.type(), answered.text(), place);
    return Optional.of(
        answered.retryAfter().isPresent()
            ? new RetryAfterException(
                "It asked to wait " + delay.toSeconds() + " s", delay, failure)
            : failure);
  }

  private void written(CompletionStage<?> write) {
    write.whenComplete(
        (done, failure) -> {
          if (failure != null) {
            LOG.warn(
                "The state of the webhook {} is known to this process only: {}",
                spec().name(),
                failure.toString());
          }
        });
  }

  private synchronized void succeeded() {
    failures = 0;
  }

  private void failed(Answered answered) {
    if (answered.retryAfter().isPresent()) {
      pause.begin(answered.retryAfter().get());
      return;
    }
    int inARow;
    synchronized (this) {
      failures++;
      inARow = failures;
      if (isRemoved || failures < MOST_FAILURES || state.kind() != WebhookState.Kind.ON) {
        return;
      }
    }
    String reason = inARow + " calls in a row failed, the last: " + answered.reason();
    // The trial first: without one, an open circuit would never close.
    written(
        context
            .records()
            .scheduleTrial(spec().name(), TRIAL)
            .thenCompose(done -> change(WebhookState.Kind.OPEN, reason)));
  }

  /** Tries one message of an open circuit; the stage tells whether the circuit is not open now. */
  CompletionStage<Boolean> attempt() {
    return attempt(sources.all().iterator());
  }

  private CompletionStage<Boolean> attempt(Iterator<TimedQueue<byte[]>> rest) {
    if (!rest.hasNext()) {
      return CompletableFuture.completedFuture(false);
    }
    TimedQueue<byte[]> queue = rest.next();
    ClaimOptions options =
        ClaimOptions.DEFAULT
            .lease(spec().timeout().multipliedBy(2).plus(TRIAL))
            .policy(policy)
            .claimant("webhook " + spec().name());
    return queue
        .async()
        .claim(1, options)
        .thenCompose(claimed -> claimed.isEmpty() ? attempt(rest) : attempt(queue, claimed.get(0)));
  }

  private CompletionStage<Boolean> attempt(TimedQueue<byte[]> queue, Delivery<byte[]> delivery) {
    return caller
        .call(record, delivery)
        .thenCompose(
            answered -> {
              Optional<RuntimeException> failed = judge(delivery, answered);
              Settlement settlement =
                  answered.isGone()
                      ? new Settlement.Release(delivery.receipt())
                      : failed.isPresent()
                          ? new Settlement.Fail(delivery.receipt(), failed.get(), policy)
                          : new Settlement.Ack(delivery.receipt());
              return queue
                  .async()
                  .settle(List.of(settlement))
                  .thenCompose(
                      outcomes ->
                          answered.isDelivered()
                              ? change(WebhookState.Kind.ON, "").thenApply(done -> true)
                              : CompletableFuture.completedFuture(answered.isGone()));
            });
  }

  /** Calls the target with a message that is in no queue. */
  CompletionStage<WebhookAttempt> test() {
    Instant now = context.clock().instant();
    return caller
        .test(record)
        .thenCompose(
            answered -> {
              WebhookAttempt attempt = caller.loggedTest(answered, now);
              context.log().add(spec().name(), attempt);
              boolean closes = false;
              synchronized (this) {
                closes = answered.isDelivered() && state.kind() == WebhookState.Kind.OPEN;
              }
              return closes
                  ? change(WebhookState.Kind.ON, "").thenApply(done -> attempt)
                  : CompletableFuture.completedFuture(attempt);
            });
  }
}
