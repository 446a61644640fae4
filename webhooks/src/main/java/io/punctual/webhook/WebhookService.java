package io.punctual.webhook;

import io.punctual.ClientClosedException;
import io.punctual.Page;
import io.punctual.Punctual;
import io.punctual.http.webhook.WebhookAttempt;
import io.punctual.http.webhook.WebhookKey;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookState;
import io.punctual.http.webhook.WebhookView;
import io.punctual.http.webhook.Webhooks;
import io.punctual.timer.DueTimer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The webhooks of a process: targets of its configuration, and targets that the store keeps, which
 * all processes of the store share. Safe for use by many threads.
 *
 * <pre>{@code
 * WebhookService webhooks =
 *     WebhookService.builder(punctual, timer).configured(targets).rules(rules).start();
 * }</pre>
 */
public final class WebhookService implements Webhooks, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookService.class);
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Duration SWEEP = Duration.ofHours(1);
  private static final Duration GRACE = Duration.ofSeconds(20);

  private final Context context;
  private final Records records;
  private final DeliveryLog log;
  private final Sender sender;
  private final ExecutorService executor;
  private final Targets targets;
  private final Changes changes;
  private final Trials trials;
  private volatile NetworkRules rules;
  private volatile boolean isReadOnly;
  private volatile boolean closed;
  private boolean isAway;
  private CompletionStage<?> ended = CompletableFuture.completedFuture(null);

  private WebhookService(Builder builder) {
    rules = builder.rules;
    isReadOnly = builder.readOnly;
    records = new Records(builder.punctual, builder.clock);
    sender = new Sender(builder.timer, builder.clock, builder.resolver, () -> rules);
    executor =
        Executors.newFixedThreadPool(
            Math.max(2, Runtime.getRuntime().availableProcessors()),
            work -> {
              Thread thread = new Thread(work, "punctual-webhook-calls");
              thread.setDaemon(true);
              return thread;
            });
    log = new DeliveryLog(builder.punctual, builder.timer, executor);
    context =
        new Context(
            builder.punctual,
            builder.timer,
            builder.clock,
            sender,
            records,
            log,
            () -> rules,
            () -> isReadOnly,
            executor);
    targets = new Targets(context, GRACE);
    targets.configure(builder.configured);
    changes = new Changes(context, targets);
    trials = new Trials(context, targets);
  }

  /**
   * Returns a builder.
   *
   * @param punctual the client of the store, which the service does not close
   * @param timer the timer of time-outs, retries and looks
   */
  public static Builder builder(Punctual punctual, DueTimer timer) {
    return new Builder(punctual, timer);
  }

  /**
   * Checks the address of a target.
   *
   * @throws IllegalArgumentException if the rules do not allow it; the message says why
   */
  public static void check(WebhookSpec spec, NetworkRules rules) {
    Object unused = TargetAddress.parse(spec.url(), rules);
  }

  /** Uses other targets of the configuration, and other rules. Calls that run go on. */
  public void configure(List<WebhookRecord> configured, NetworkRules next) {
    rules = next;
    targets.configure(configured);
  }

  /** Sets whether this process takes no messages. */
  public void setReadOnly(boolean only) {
    isReadOnly = only;
    targets.refresh();
  }

  private void start() {
    look();
    sweep();
    trials.start();
    trials.watch();
  }

  private void later(Duration wait, Runnable work) {
    if (!closed) {
      try {
        context.timer().schedule(wait, work);
      } catch (RejectedExecutionException e) {
        // The process ends.
      }
    }
  }

  /** Reads the records if they have changed, and again in a second until the client is closed. */
  private void look() {
    long before = targets.changes();
    CompletableFuture<?> unused =
        CompletableFuture.completedFuture(records)
            .thenCompose(Records::version)
            .thenCompose(
                version ->
                    version.equals(targets.version())
                        ? CompletableFuture.completedFuture(null)
                        : records.load(version).thenAccept(loaded -> targets.use(loaded, before)))
            .whenComplete(
                (done, failure) -> {
                  if (failure != null && failure.getCause() instanceof ClientClosedException) {
                    return;
                  }
                  later(LOOK, this::look);
                  told(failure);
                });
  }

  private synchronized void told(@Nullable Throwable failure) {
    if (failure != null && !isAway && !closed) {
      LOG.warn("The records of webhooks can't be read; they are asked for again: {}", failure + "");
    }
    isAway = failure != null;
  }

  private void sweep() {
    later(SWEEP, () -> executor.execute(this::sweep)); // first: an error must not end the chain
    for (WebhookView view : targets.list()) {
      CompletableFuture<?> unused =
          CompletableFuture.completedFuture(view.spec().name())
              .thenCompose(log::forget)
              .whenComplete(
                  (done, failure) -> {
                    if (failure != null) {
                      LOG.debug("Calls of {} are forgotten later", view.spec().name(), failure);
                    }
                  });
    }
  }

  @Override
  public List<WebhookView> list() {
    return targets.list();
  }

  @Override
  public Optional<WebhookView> find(String name) {
    return targets.find(name).map(Target::view);
  }

  private Target target(String name) {
    return targets
        .find(name)
        .orElseThrow(() -> new IllegalStateException("there is no webhook " + name + " now"));
  }

  private Target changeable(String name) {
    Target target = target(name);
    if (target.isConfigured()) {
      throw new IllegalStateException(
          "the webhook "
              + name
              + " is in the configuration of the server; change it there and reload");
    }
    return target;
  }

  @Override
  public CompletionStage<WebhookView> put(WebhookSpec spec, Optional<WebhookKey> first) {
    check(spec, rules);
    for (WebhookView other : targets.list()) {
      if (!other.spec().name().equals(spec.name()) && other.spec().overlaps(spec)) {
        throw new IllegalStateException(
            "the webhook " + other.spec().name() + " takes messages of the same queue");
      }
    }
    if (targets.find(spec.name()).isPresent()) {
      Target unused = changeable(spec.name());
    }
    return changes.put(spec, first);
  }

  @Override
  public CompletionStage<Void> delete(String name) {
    Target unused = changeable(name);
    return changes.delete(name);
  }

  @Override
  public CompletionStage<WebhookView> enable(String name) {
    Target target = target(name);
    return target.change(WebhookState.Kind.ON, "").thenApply(done -> target.view());
  }

  @Override
  public CompletionStage<WebhookView> rotate(String name, WebhookKey key, Duration overlap) {
    Target unused = changeable(name);
    return changes.rotate(name, key, overlap);
  }

  @Override
  public CompletionStage<WebhookAttempt> test(String name) {
    return target(name).test();
  }

  @Override
  public CompletionStage<Page<WebhookAttempt>> deliveries(
      String name, Optional<String> cursor, int limit) {
    return log.page(name, cursor, limit)
        .thenApply(
            page ->
                new Page<>(
                    page.items().stream().map(WebhookAttempt::withoutPayload).toList(),
                    page.next()));
  }

  @Override
  public CompletionStage<Replay> replay(String name, Instant since) {
    Target target = target(name);
    return new Replaying(context.punctual(), log, name, since)
        .run()
        .thenApply(done -> new Replay(target.queues(), done.scheduled(), done.skipped()));
  }

  /**
   * Ends to take messages. Calls that run have some time to end; the messages of the others are
   * released. The stage completes when all have ended.
   */
  public synchronized CompletionStage<?> drain(Duration grace) {
    closed = true;
    ended =
        CompletableFuture.allOf(
            targets.stop(grace).toCompletableFuture(), trials.stop(grace).toCompletableFuture());
    return ended;
  }

  /** Ends the service; calls that run have 20 seconds, or what {@link #drain} gave them. */
  @Override
  public void close() {
    if (!closed) {
      CompletionStage<?> unused = drain(GRACE);
    }
    CompletionStage<?> end;
    synchronized (this) {
      end = ended;
    }
    try {
      end.toCompletableFuture().get(5, TimeUnit.MINUTES);
      log.flush().toCompletableFuture().get(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("Webhooks did not end well: {}", e.toString());
    }
    sender.close();
    executor.shutdown();
  }

  /** Builds a {@link WebhookService}. For use by one thread. */
  public static final class Builder {
    private final Punctual punctual;
    private final DueTimer timer;
    private InstantSource clock = Clock.systemUTC();
    private HostResolver resolver = HostResolver.SYSTEM;
    private NetworkRules rules = NetworkRules.PUBLIC;
    private List<WebhookRecord> configured = List.of();
    private boolean readOnly;

    private Builder(Punctual punctual, DueTimer timer) {
      this.punctual = Objects.requireNonNull(punctual, "punctual");
      this.timer = Objects.requireNonNull(timer, "timer");
    }

    /** Sets the clock of signatures and of the log; the system's by default. */
    public Builder clock(InstantSource source) {
      this.clock = Objects.requireNonNull(source, "source");
      return this;
    }

    /** Sets what finds the addresses of hosts; the system by default. */
    public Builder resolver(HostResolver ofHosts) {
      this.resolver = Objects.requireNonNull(ofHosts, "ofHosts");
      return this;
    }

    /** Sets which addresses may be called; public ones by default. */
    public Builder rules(NetworkRules allowed) {
      this.rules = Objects.requireNonNull(allowed, "allowed");
      return this;
    }

    /** Sets the targets of the configuration; none by default. */
    public Builder configured(List<WebhookRecord> targets) {
      this.configured = List.copyOf(targets);
      return this;
    }

    /** Sets whether the process takes no messages; it does by default. */
    public Builder readOnly(boolean only) {
      this.readOnly = only;
      return this;
    }

    /** Starts the service. It takes messages as soon as the store has answered. */
    public WebhookService start() {
      WebhookService service = new WebhookService(this);
      service.start();
      return service;
    }
  }
}
