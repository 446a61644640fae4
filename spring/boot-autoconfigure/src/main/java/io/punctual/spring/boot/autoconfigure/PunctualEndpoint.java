package io.punctual.spring.boot.autoconfigure;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Failure;
import io.punctual.Forecast;
import io.punctual.LeaseHolder;
import io.punctual.Page;
import io.punctual.PauseNote;
import io.punctual.Punctual;
import io.punctual.QueueInfo;
import io.punctual.QueueQuery;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.UndecodableException;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetters;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * The endpoint {@code punctual}. Shows the queues of the store and their messages, and changes them
 * if the application allows writes.
 */
@Endpoint(id = "punctual", defaultAccess = Access.READ_ONLY)
public final class PunctualEndpoint {
  private static final int HEAD = 10;
  private static final int MOST_QUEUES = 1000;
  private static final int FORECAST_SPANS = 12;
  private static final Duration FORECAST = Duration.ofHours(1);

  private final Punctual punctual;
  private final PunctualEndpointProperties properties;

  PunctualEndpoint(Punctual punctual, PunctualEndpointProperties properties) {
    this.punctual = punctual;
    this.properties = properties;
  }

  /**
   * The store and its queues.
   *
   * @param next the value of {@code after} for the next queues, or null if these are the last
   */
  public record Queues(String store, Map<String, Counts> queues, @Nullable String next) {}

  /**
   * A queue.
   *
   * @param forecast the number of messages that become due in each span of the next hour
   * @param heads the first 10 messages in each state
   */
  public record Queue(
      String name, Counts counts, Forecast forecast, Map<State, List<Message>> heads) {}

  /**
   * A message. The payload, the headers and the failures are null unless the user may see them. The
   * payload is also null if the store could not read it.
   *
   * @param payload the payload if it is text in UTF-8, or null
   * @param payloadBase64 the payload if it is not text, or null
   * @param createdAt the time at which the message was first scheduled, or null if it is not known
   * @param leasedUntil the end of the lease, or null if the message is not leased
   * @param leasedBy the holder of the lease, or null if the message is not leased or the store does
   *     not know the holder
   * @param deadReason why the message is a dead letter, or null if it is none or the reason is not
   *     known
   */
  public record Message(
      String id,
      State state,
      @Nullable Instant createdAt,
      Instant dueAt,
      int attempts,
      @Nullable Instant leasedUntil,
      @Nullable String leasedBy,
      @Nullable String deadReason,
      @Nullable String payload,
      @Nullable String payloadBase64,
      @Nullable Map<String, String> headers,
      @Nullable List<Failure> failures) {}

  /**
   * Lists queues with their counts, in the order of their names.
   *
   * @param prefix the beginning of their names, or null for all queues
   * @param after the name after which to begin, or null to begin with the first
   * @param limit the largest number of queues, 1 to 1000; null means 1000
   */
  @ReadOperation
  @RegisterReflectionForBinding(Queues.class)
  public WebEndpointResponse<Object> queues(
      @Nullable String prefix, @Nullable String after, @Nullable Integer limit) {
    return Replies.to(
        () -> {
          Page<QueueInfo> page =
              punctual.queues(
                  new QueueQuery(
                      prefix == null ? "" : prefix,
                      Optional.ofNullable(after),
                      limit == null ? MOST_QUEUES : limit));
          Map<String, Counts> counts = new TreeMap<>();
          page.items().forEach(queue -> counts.put(queue.name(), queue.counts()));
          return new WebEndpointResponse<>(
              new Queues(punctual.store(), counts, page.next().orElse(null)));
        });
  }

  /**
   * Returns a queue, or the message with an id, or null if the store has no such queue or message.
   *
   * @param id the id of the message, or null for the queue. Unlike a path, this parameter can name
   *     every id: web servers change or refuse paths such as {@code a//b} and {@code a%2Fb}
   */
  @ReadOperation
  @RegisterReflectionForBinding(Queue.class)
  public @Nullable Object queue(SecurityContext user, @Selector String name, @Nullable String id) {
    return id == null ? queue(user, name) : message(user, name, id);
  }

  private @Nullable Queue queue(SecurityContext user, String name) {
    if (!isPresent(name)) {
      return null;
    }
    TimedQueue<byte[]> queue = queue(name);
    Instant now = Instant.now();
    Map<State, List<Message>> heads = new EnumMap<>(State.class);
    for (State state : State.values()) {
      heads.put(
          state,
          queue.browse(state, HEAD).items().stream()
              .map(message -> describe(message, user))
              .toList());
    }
    return new Queue(
        name, queue.counts(), queue.forecast(now, now.plus(FORECAST), FORECAST_SPANS), heads);
  }

  /**
   * Returns a message, or null if the store has no such queue, or the queue has no message with
   * this id.
   *
   * @param id the segments of the id between slashes
   */
  @ReadOperation
  public @Nullable Message message(
      SecurityContext user,
      @Selector String name,
      @Selector(match = Selector.Match.ALL_REMAINING) String... id) {
    return isPresent(name)
        ? find(queue(name), Paths.id(id)).map(found -> describe(found, user)).orElse(null)
        : null;
  }

  /** Returns a message, or empty if there is none, or if no message can have this id. */
  private static Optional<StoredMessage<byte[]>> find(TimedQueue<byte[]> queue, String id) {
    try {
      return queue.find(id);
    } catch (IllegalArgumentException notAnId) {
      return Optional.empty();
    }
  }

  /**
   * Pauses or resumes a queue for all processes, redrives all its dead letters, or changes its
   * limits. With an {@code id}, changes the message like {@link #changeMessage}. The reply has the
   * status 404 if the store has no queue of this name, and the status 400 with a reason if the
   * action or a limit is wrong.
   *
   * @param id the id of a message, or null to change the queue
   * @param rate for the action {@code limits}: the number of messages in each {@code per}, or 0 for
   *     no limit of the rate; null to keep the present rate
   * @param per the time of the rate, such as {@code 1s}; null to keep the present time, or to use a
   *     second if the queue has no rate
   * @param burst the burst of the rate; null to keep the present burst. If the queue has no rate,
   *     null means the messages of a tenth of a second, but at least one for each partition
   * @param concurrency the largest number of leased messages, or 0 for no limit; null to keep the
   *     present limit
   * @param reason for the action {@code pause}: the reason, which the counts of the queue show
   */
  @WriteOperation
  public WebEndpointResponse<Object> changeQueue(
      SecurityContext user,
      @Selector String name,
      String action,
      @Nullable String id,
      @Nullable String rate,
      @Nullable String per,
      @Nullable String burst,
      @Nullable String concurrency,
      @Nullable String reason) {
    if (id != null) {
      return changeMessage(name, action, id);
    }
    LimitChange limits = new LimitChange(rate, per, burst, concurrency);
    return Replies.to(
        () ->
            isPresent(name)
                ? new WebEndpointResponse<>(
                    change(queue(name), action, limits, () -> note(user, reason)))
                : Replies.notFound());
  }

  /**
   * Returns the reason of a pause, and the user if the application knows who it is. Leaves out the
   * user if a note can't hold the name, which is no fault of the request.
   */
  private static PauseNote note(SecurityContext user, @Nullable String reason) {
    PauseNote anonymous = new PauseNote(reason == null ? "" : reason, "");
    Principal principal = user.getPrincipal();
    if (principal == null || principal.getName() == null) {
      return anonymous;
    }
    try {
      return new PauseNote(anonymous.reason(), principal.getName());
    } catch (IllegalArgumentException e) {
      return anonymous;
    }
  }

  private static Map<String, Object> change(
      TimedQueue<byte[]> queue, String action, LimitChange limits, Supplier<PauseNote> note) {
    return switch (action.toLowerCase(Locale.ROOT)) {
      case "pause" -> {
        queue.pause(note.get());
        yield Map.of("paused", true);
      }
      case "resume" -> {
        queue.resume();
        yield Map.of("paused", false);
      }
      case "redrive-all" ->
          Map.of(
              "redriven",
              queue
                  .deadLetters()
                  .redrive(DeadLetterFilter.ALL, DeadLetters.UNLIMITED)
                  .await()
                  .changed());
      case "limits" -> Map.of("limits", limits.makeAt(queue));
      default -> throw Replies.unknown(action, "pause, resume, redrive-all or limits");
    };
  }

  /**
   * Makes a message due now, cancels it, or redrives it. The reply has the status 404 if there is
   * no such queue or message, and the status 400 with a reason if the action is unknown.
   *
   * @param id the segments of the id between slashes
   */
  @WriteOperation
  public WebEndpointResponse<Object> changeMessage(
      @Selector String name,
      String action,
      @Selector(match = Selector.Match.ALL_REMAINING) String... id) {
    return Replies.to(
        () ->
            isPresent(name)
                ? reply(change(queue(name), Paths.id(id), action))
                : Replies.notFound());
  }

  private static WebEndpointResponse<Object> reply(Enum<?> outcome) {
    return new WebEndpointResponse<>(
        Map.of("outcome", outcome),
        outcome.name().equals("NOT_FOUND")
            ? WebEndpointResponse.STATUS_NOT_FOUND
            : WebEndpointResponse.STATUS_OK);
  }

  private static Enum<?> change(TimedQueue<byte[]> queue, String id, String action) {
    return switch (action.toLowerCase(Locale.ROOT)) {
      case "run-now" -> queue.runNow(id);
      case "cancel" -> queue.cancel(id);
      case "redrive" -> queue.deadLetters().redrive(id);
      default -> throw Replies.unknown(action, "run-now, cancel or redrive");
    };
  }

  /**
   * Returns whether the store has the queue. Does not open the queue, which would create it in this
   * client.
   */
  private boolean isPresent(String name) {
    try {
      return punctual.queues(QueueQuery.of(name).limit(1)).items().stream()
          .anyMatch(queue -> queue.name().equals(name));
    } catch (IllegalArgumentException notAName) {
      return false;
    }
  }

  private TimedQueue<byte[]> queue(String name) {
    return punctual.queue(name, Codec.bytes());
  }

  private Message describe(StoredMessage<byte[]> message, SecurityContext user) {
    boolean shown = properties.showsPayloads(user);
    byte[] payload = shown ? payload(message) : null;
    String text = payload == null ? null : text(payload);
    Optional<String> reason = message.deadReason().map(Enum::name);
    return new Message(
        message.id(),
        message.state(),
        message.createdAt().orElse(null),
        message.dueAt(),
        message.attempts(),
        message.leasedUntil().orElse(null),
        message.leaseHolder().map(LeaseHolder::describe).orElse(null),
        reason.orElse(null),
        text,
        payload == null || text != null ? null : Base64.getEncoder().encodeToString(payload),
        shown ? message.headers() : null,
        shown ? message.failures() : null);
  }

  /** Returns the payload, or null if the store could not read it. */
  private static byte @Nullable [] payload(StoredMessage<byte[]> message) {
    try {
      return message.payloadBytes();
    } catch (UndecodableException e) {
      return null;
    }
  }

  /** Returns the text of these bytes, or null if they are not UTF-8. */
  private static @Nullable String text(byte[] payload) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
