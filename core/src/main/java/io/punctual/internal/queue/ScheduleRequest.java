package io.punctual.internal.queue;

import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Recurrence;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.event.Event;
import io.punctual.internal.message.Checks;
import io.punctual.internal.message.RecurrenceHeaders;
import io.punctual.internal.message.RememberHeader;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.Interceptors;
import io.punctual.spi.Capability;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A schedule operation for a message, and the interceptors that watch it. Immutable.
 *
 * @param hasGeneratedId whether the client generated the id
 * @param begins whether the due time is the first occurrence of the message's recurrence from now
 *     on, because the message has no due time
 */
record ScheduleRequest(
    Operation.Schedule operation,
    boolean hasGeneratedId,
    boolean begins,
    Interceptors.Call intercepted) {

  /** Checks a message, and creates its request. */
  static <T> ScheduleRequest of(QueueView<T> view, Message<T> message, IfPresent ifPresent) {
    Environment env = view.env();
    String id = message.id().orElseGet(view.client().ids()::next);
    Checks.id(id);
    Map<String, String> headers = new LinkedHashMap<>(message.headers());
    Interceptors.Call intercepted = env.interceptors().schedule(view.queue(), id, message, headers);
    try {
      Content content = content(view, message, headers);
      boolean isGenerated = message.id().isEmpty();
      DueTime due = DueTime.of(due(message, env));
      Operation.Schedule operation =
          new Operation.Schedule(id, due, isGenerated ? IfPresent.REJECT : ifPresent, content);
      boolean begins = message.recurrence().isPresent() && !message.hasDue() && !due.isDelay();
      return new ScheduleRequest(operation, isGenerated, begins, intercepted);
    } catch (Throwable e) {
      intercepted.returned();
      intercepted.ended(e);
      throw e;
    }
  }

  /**
   * Returns the due time of a message; a recurring message without a due time is due at the first
   * occurrence of its recurrence.
   */
  private static Due due(Message<?> message, Environment env) {
    if (message.hasDue() || message.recurrence().isEmpty()) {
      return message.due();
    }
    return message.recurrence().get().first(env.clock().instant()).map(Due::at).orElse(Due.now());
  }

  /**
   * Creates the requests of messages. If a message is not valid, notifies the interceptors of the
   * earlier requests of the failure.
   */
  static <T> List<ScheduleRequest> of(
      QueueView<T> view, Collection<Message<T>> messages, IfPresent ifPresent) {
    List<ScheduleRequest> requests = new ArrayList<>(messages.size());
    try {
      messages.forEach(message -> requests.add(of(view, message, ifPresent)));
    } catch (Throwable e) {
      for (ScheduleRequest request : requests) {
        request.intercepted.returned();
        request.intercepted.ended(e);
      }
      throw e;
    }
    return requests;
  }

  private static <T> Content content(
      QueueView<T> view, Message<T> message, Map<String, String> headers) {
    byte[] payload = view.codec().encode(message.payload(), headers);
    Checks.headers(headers);
    Checks.payload(payload, view.env().payloadLimit(), view.queue());
    long notAfter = message.notAfter().map(ScheduleRequest::lastMillis).orElse(Content.ALWAYS);
    Map<String, String> stored =
        RecurrenceHeaders.with(headers, message.recurrence().map(Recurrence::text).orElse(null));
    return new Content(payload, RememberHeader.with(stored, remembered(view, message)), notAfter);
  }

  private static @Nullable Duration remembered(QueueView<?> view, Message<?> message) {
    if (message.rememberedFor().isEmpty()) {
      return null;
    }
    view.client().require(Capability.REMEMBER);
    return message.rememberedFor().get();
  }

  /**
   * Returns the expiry in milliseconds, rounded down so that no handler receives a message after
   * {@code notAfter}.
   */
  private static long lastMillis(Instant notAfter) {
    long unused = DueTime.instantMillis(notAfter);
    return notAfter.toEpochMilli();
  }

  String id() {
    return operation.id();
  }

  /** Returns whether the outcome means that the generated id was in use. */
  boolean isCollision(Outcome.OfSchedule done) {
    return hasGeneratedId && done.outcome() == ScheduleOutcome.REJECTED;
  }

  ScheduleRequest withId(String id) {
    Operation.Schedule renamed =
        new Operation.Schedule(id, operation.due(), operation.ifPresent(), operation.content());
    return with(renamed);
  }

  private ScheduleRequest with(Operation.Schedule other) {
    return new ScheduleRequest(other, hasGeneratedId, begins, intercepted);
  }

  /**
   * Returns whether the operation would replace a missed occurrence by the next one, if the present
   * message has the same recurrence.
   */
  boolean mayDropOccurrence() {
    return begins && operation.ifPresent() == IfPresent.REPLACE;
  }

  /**
   * Returns the request that keeps the occurrence of a present message with the same recurrence: an
   * application that replaces its recurring messages at each start must not lose an occurrence that
   * became due in between. A message that does not change at all is kept as it is.
   */
  ScheduleRequest keepingOccurrenceOf(Entry present) {
    Content stored = present.content();
    Content next = operation.content();
    boolean isWaiting = present.state() == State.SCHEDULED || present.state() == State.READY;
    if (!isWaiting || stored == null || present.dueMillis() >= operation.due().millis()) {
      return this;
    }
    String recurrence = RecurrenceHeaders.text(stored.headers());
    if (recurrence == null || !recurrence.equals(RecurrenceHeaders.text(next.headers()))) {
      return this;
    }
    boolean isSame =
        Arrays.equals(stored.payload(), next.payload())
            && stored.headers().equals(next.headers())
            && stored.notAfterMillis() == next.notAfterMillis();
    return with(
        isSame
            ? new Operation.Schedule(id(), operation.due(), IfPresent.KEEP, next)
            : new Operation.Schedule(
                id(), new DueTime(false, present.dueMillis()), IfPresent.REPLACE, next));
  }

  Scheduled result(Outcome.OfSchedule done) {
    return new Scheduled(
        id(),
        done.outcome(),
        Instant.ofEpochMilli(done.dueMillis()),
        Optional.ofNullable(done.previous()));
  }

  Event event(String queue, ScheduleOutcome outcome) {
    return new Event.MessageScheduled(queue, id(), outcome);
  }
}
