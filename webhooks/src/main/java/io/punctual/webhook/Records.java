package io.punctual.webhook;

import io.punctual.Codec;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Punctual;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The targets and their states as messages of a queue that nobody consumes. Each process asks for
 * the version once a second, and reads all if it has changed. The target and its state are two
 * messages, because people write the one and processes the other. Thread-safe.
 */
final class Records {
  private static final Logger LOG = LoggerFactory.getLogger(Records.class);
  private static final String QUEUE = WebhookSpec.OWN_QUEUES + "webhooks";
  private static final String TRIALS = WebhookSpec.OWN_QUEUES + "webhook-trials";
  private static final String VERSION = "version";
  private static final String TARGET = "target/";
  private static final String STATE = "state/";
  private static final String MARK = "change/";
  private static final Duration NEVER = Duration.ofDays(36_525);

  private final Punctual punctual;
  private final InstantSource clock;

  /**
   * What the store has.
   *
   * @param version the version, which was read first
   */
  record Loaded(
      String version, Map<String, WebhookRecord> targets, Map<String, WebhookState> states) {}

  Records(Punctual punctual, InstantSource clock) {
    this.punctual = punctual;
    this.clock = clock;
  }

  private CompletionStage<TimedQueue<byte[]>> queue() {
    return open(QUEUE);
  }

  /** Opens a queue; the stage fails even if the client throws, so that its callers go on. */
  private CompletionStage<TimedQueue<byte[]>> open(String queue) {
    return CompletableFuture.completedFuture(queue)
        .thenCompose(name -> punctual.queueAsync(name, Codec.bytes()));
  }

  /** Returns the queue whose messages are the trials of open circuits. */
  CompletionStage<TimedQueue<byte[]>> trials() {
    return open(TRIALS);
  }

  CompletionStage<String> version() {
    return queue()
        .thenCompose(queue -> queue.async().find(VERSION))
        .thenApply(
            found ->
                found
                    .map(message -> new String(message.payloadBytes(), StandardCharsets.UTF_8))
                    .orElse(""));
  }

  CompletionStage<Loaded> load(String version) {
    Loaded loaded = new Loaded(version, new HashMap<>(), new HashMap<>());
    MessageQuery all = MessageQuery.of(State.SCHEDULED);
    return forEach(all, message -> add(message, loaded)).thenApply(done -> loaded);
  }

  private CompletionStage<@Nullable Void> forEach(
      MessageQuery query, Consumer<StoredMessage<byte[]>> consumer) {
    return queue()
        .thenCompose(queue -> queue.async().browse(query.limit(1000)))
        .thenCompose(
            page -> {
              page.items().forEach(consumer);
              return page.next().isPresent()
                  ? forEach(query.after(page.next().get()), consumer)
                  : CompletableFuture.completedFuture(null);
            });
  }

  private static void add(StoredMessage<byte[]> message, Loaded loaded) {
    String id = message.id();
    if (id.startsWith(TARGET)) {
      read(message, WebhookRecord::parse)
          .ifPresent(target -> loaded.targets.put(target.spec().name(), target));
    } else if (id.startsWith(STATE)) {
      read(message, WebhookState::parse)
          .ifPresent(state -> loaded.states.put(id.substring(STATE.length()), state));
    }
  }

  /** Returns what a record says, or nothing if it is broken, or of a later version. */
  private static <T> Optional<T> read(StoredMessage<byte[]> message, Function<byte[], T> parser) {
    try {
      return Optional.of(parser.apply(message.payloadBytes()));
    } catch (IllegalArgumentException e) {
      LOG.warn(
          "The record {} of a webhook can't be read, and is left out: {}",
          message.id(),
          e.getMessage());
      return Optional.empty();
    }
  }

  CompletionStage<Optional<WebhookState>> state(String name) {
    return queue()
        .thenCompose(queue -> queue.async().find(STATE + name))
        .thenApply(found -> found.map(message -> WebhookState.parse(message.payloadBytes())));
  }

  /** Returns the target that the store has. Fails if its record can't be read: it must be kept. */
  CompletionStage<Optional<WebhookRecord>> target(String name) {
    return findTarget(name)
        .thenApply(
            found ->
                found.map(
                    message ->
                        read(message, WebhookRecord::parse)
                            .orElseThrow(() -> unreadable(name, message.id()))));
  }

  private static IllegalStateException unreadable(String name, String id) {
    return new IllegalStateException(
        "the record of the webhook "
            + name
            + " can't be read: it is of a later version, or broken. Change it by a server of that"
            + " version, or cancel the message "
            + id
            + " of the queue "
            + QUEUE
            + " by the command line");
  }

  private CompletionStage<Optional<StoredMessage<byte[]>>> findTarget(String name) {
    return queue().thenCompose(queue -> queue.async().find(TARGET + name));
  }

  CompletionStage<@Nullable Void> save(WebhookRecord target) {
    return store(TARGET + target.spec().name(), target.toBytes()).thenCompose(done -> changed());
  }

  /** Saves a new target, without the state that an earlier one of its name has left. */
  CompletionStage<@Nullable Void> saveNew(WebhookRecord target) {
    return cancel(STATE + target.spec().name()).thenCompose(done -> save(target));
  }

  /**
   * Saves the state of a target. A target of the store can have been deleted by another process
   * meanwhile, so the state is written first, and taken back if there is no target then.
   */
  CompletionStage<@Nullable Void> save(String name, WebhookState state, boolean isConfigured) {
    return store(STATE + name, state.toBytes())
        .thenCompose(
            done ->
                isConfigured
                    ? CompletableFuture.completedFuture(true)
                    : findTarget(name).thenApply(Optional::isPresent))
        .thenCompose(exists -> exists ? changed() : cancel(STATE + name));
  }

  CompletionStage<@Nullable Void> delete(String name) {
    return cancel(TARGET + name, STATE + name).thenCompose(done -> changed());
  }

  private CompletionStage<@Nullable Void> cancel(String... ids) {
    return cancel(List.of(ids));
  }

  private CompletionStage<@Nullable Void> cancel(List<String> ids) {
    return queue().thenCompose(queue -> queue.async().cancelAll(ids)).thenApply(done -> null);
  }

  /**
   * Keeps a mark, which holds for at most some time, and is never due; returns false if it is there
   * already.
   */
  CompletionStage<Boolean> mark(String mark, Duration time) {
    return store(MARK + mark, new byte[0], clock.instant().plus(time), IfPresent.REJECT)
        .thenApply(stored -> stored.outcome() != ScheduleOutcome.REJECTED);
  }

  /** Returns the marks, each with the end of its time. */
  CompletionStage<Map<String, Instant>> marks() {
    Map<String, Instant> marks = new HashMap<>();
    return forEach(
            MessageQuery.of(State.SCHEDULED).withoutPayloads(),
            message -> {
              if (message.id().startsWith(MARK)) {
                marks.put(message.id().substring(MARK.length()), message.dueAt().minus(NEVER));
              }
            })
        .thenApply(done -> marks);
  }

  CompletionStage<@Nullable Void> removeMarks(Collection<String> marks) {
    return cancel(marks.stream().map(MARK::concat).toList());
  }

  private CompletionStage<@Nullable Void> changed() {
    return store(VERSION, UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8));
  }

  private CompletionStage<@Nullable Void> store(String id, byte[] payload) {
    return store(id, payload, clock.instant(), IfPresent.REPLACE).thenApply(done -> null);
  }

  private CompletionStage<Scheduled> store(
      String id, byte[] payload, Instant time, IfPresent ifPresent) {
    Message<byte[]> message = Message.of(payload).id(id).dueAt(time.plus(NEVER));
    return queue().thenCompose(queue -> queue.async().schedule(message, ifPresent));
  }

  /** Schedules the first trial of a target whose circuit opens. */
  CompletionStage<@Nullable Void> scheduleTrial(String name, Duration after) {
    return trials()
        .thenCompose(
            trials ->
                trials
                    .async()
                    .schedule(Message.of(new byte[0]).id(name).dueIn(after), IfPresent.KEEP))
        .thenApply(done -> null);
  }
}
