package io.punctual.spring.boot.autoconfigure;

import io.punctual.Page;
import io.punctual.PauseNote;
import io.punctual.Punctual;
import io.punctual.QueueInfo;
import io.punctual.QueueQuery;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetters;
import io.punctual.view.Diagnosis;
import io.punctual.view.Evidence;
import io.punctual.view.ForecastView;
import io.punctual.view.LimitsView;
import io.punctual.view.MessageView;
import io.punctual.view.Outcome;
import io.punctual.view.Outcomes;
import io.punctual.view.QueueView;
import io.punctual.view.TaskView;
import io.punctual.view.Tree;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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
  private final QueueLookup queues;
  private final PunctualEndpointProperties properties;

  PunctualEndpoint(Punctual punctual, PunctualEndpointProperties properties) {
    this.punctual = punctual;
    this.queues = new QueueLookup(punctual);
    this.properties = properties;
  }

  /**
   * Lists queues with their counts, in the order of their names. If there are more, {@code next} is
   * the value of {@code after} for the next page.
   *
   * @param prefix the beginning of their names, or null for all queues
   * @param after the name after which to begin, or null to begin with the first
   * @param limit the largest number of queues, 1 to 1000; null means 1000
   */
  @ReadOperation
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
          Map<String, Object> views = new LinkedHashMap<>();
          page.items().forEach(queue -> views.put(queue.name(), QueueView.of(queue).tree()));
          return new WebEndpointResponse<>(
              new Tree()
                  .put("store", punctual.store())
                  .put("queues", views)
                  .put("next", page.next().orElse(null))
                  .toMap());
        });
  }

  /**
   * Returns a queue with the forecast of the next hour, its first messages in each state, and why
   * it is late; or the message with an id; or null if the store has no such queue or message.
   *
   * @param id the id of the message, or null for the queue. Unlike a path, this parameter can name
   *     every id: web servers change or refuse paths such as {@code a//b} and {@code a%2Fb}
   */
  @ReadOperation
  public @Nullable Object queue(SecurityContext user, @Selector String name, @Nullable String id) {
    return id == null
        ? Replies.of(() -> queues.find(name).map(found -> describe(found, user)).orElse(null))
        : message(user, name, id);
  }

  private Map<String, @Nullable Object> describe(QueueInfo found, SecurityContext user) {
    TimedQueue<byte[]> queue = queues.open(found.name());
    Instant now = Instant.now();
    Map<String, Object> heads = new LinkedHashMap<>();
    List<StoredMessage<?>> waiting = new ArrayList<>();
    for (State state : State.values()) {
      List<StoredMessage<byte[]>> head = queue.browse(state, HEAD).items();
      heads.put(state.name(), head.stream().map(message -> describe(message, user)).toList());
      if (state != State.DEAD && state != State.FINISHED) {
        waiting.addAll(head);
      }
    }
    Evidence evidence = Evidence.of(found, Optional.of(punctual.workers()), now);
    return new Tree()
        .fields(QueueView.of(found))
        .put("diagnosis", Diagnosis.of(evidence.withMessages(waiting)))
        .put("forecast", ForecastView.of(queue.forecast(now, now.plus(FORECAST), FORECAST_SPANS)))
        .put("heads", heads)
        .toMap();
  }

  /**
   * Returns a message, or null if the store has no such queue, or the queue has no message with
   * this id.
   *
   * @param id the segments of the id between slashes
   */
  @ReadOperation
  public @Nullable Object message(
      SecurityContext user,
      @Selector String name,
      @Selector(match = Selector.Match.ALL_REMAINING) String... id) {
    return Replies.of(
        () ->
            queues.isPresent(name)
                ? find(queues.open(name), Paths.id(id))
                    .map(found -> describe(found, user))
                    .orElse(null)
                : null);
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
            queues.isPresent(name)
                ? new WebEndpointResponse<>(
                    change(queues.open(name), action, limits, () -> note(user, reason)))
                : Replies.notFound());
  }

  /**
   * Returns the reason of a pause, and who makes it: the user if the application knows who it is
   * and a note can hold the name, else this endpoint.
   */
  private static PauseNote note(SecurityContext user, @Nullable String reason) {
    PauseNote note = new PauseNote(reason == null ? "" : reason, "actuator");
    Principal principal = user.getPrincipal();
    if (principal == null || principal.getName() == null) {
      return note;
    }
    try {
      return new PauseNote(note.reason(), principal.getName());
    } catch (IllegalArgumentException e) {
      return note;
    }
  }

  private static Map<String, @Nullable Object> change(
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
          TaskView.of(
                  queue.deadLetters().redrive(DeadLetterFilter.ALL, DeadLetters.UNLIMITED).await(),
                  "redriven")
              .tree();
      case "limits" -> Map.of("limits", LimitsView.of(limits.makeAt(queue)).tree());
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
            queues.isPresent(name)
                ? change(queues.open(name), Paths.id(id), action)
                : Replies.notFound());
  }

  private static WebEndpointResponse<Object> change(
      TimedQueue<byte[]> queue, String id, String action) {
    return switch (action.toLowerCase(Locale.ROOT)) {
      case "run-now" -> reply(id, queue.runNow(id), Outcomes::of);
      case "cancel" -> reply(id, queue.cancel(id), Outcomes::of);
      case "redrive" -> reply(id, queue.deadLetters().redrive(id), Outcomes::of);
      default -> throw Replies.unknown(action, "run-now, cancel or redrive");
    };
  }

  private static <E extends Enum<E>> WebEndpointResponse<Object> reply(
      String id, E outcome, Function<E, Outcome> judgement) {
    return new WebEndpointResponse<>(
        new Tree().put("id", id).put("outcome", outcome).toMap(),
        judgement.apply(outcome).status());
  }

  private Map<String, @Nullable Object> describe(StoredMessage<?> message, SecurityContext user) {
    return Tree.plain(MessageView.of(message, properties.redaction(user)).tree());
  }
}
