package io.punctual.view;

import io.punctual.State;
import io.punctual.StoredMessage;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message in the store.
 *
 * @param id the message's id
 * @param state the state
 * @param createdAt when the message was first scheduled, or null if it is not known
 * @param dueAt the due time
 * @param recurrence the recurrence, or null if the message is not recurring
 * @param notAfter after which no handler receives the message, or null if it does not expire
 * @param attempts the number of deliveries
 * @param leasedUntil the end of the lease, or null without one
 * @param leaseHolder the holder of the lease, or null if it is not known
 * @param rememberedUntil when the store forgets the id of a finished message, or null
 * @param cancelled whether the message is leased and was cancelled
 * @param diedAt the time of death, or null if the message is not dead
 * @param deadReason the reason of the death, or null if it is not known
 * @param reason the details of the reason, or null if there are none or they are not shown
 * @param origin the origin of the last failure, or null if there is none or it is not shown
 * @param failures the failures, the latest last; null if they are not shown
 * @param headers the headers, sorted by name, or null if they are not shown
 * @param content the payload, or null if it is not read
 */
public record MessageView(
    String id,
    String state,
    @Nullable String createdAt,
    String dueAt,
    @Nullable RecurrenceView recurrence,
    @Nullable String notAfter,
    int attempts,
    @Nullable String leasedUntil,
    @Nullable HolderView leaseHolder,
    @Nullable String rememberedUntil,
    boolean cancelled,
    @Nullable String diedAt,
    @Nullable String deadReason,
    @Nullable String reason,
    @Nullable String origin,
    @Nullable List<FailureView> failures,
    @Nullable Map<String, String> headers,
    @Nullable PayloadView content)
    implements View {

  /** Returns the view of a message, with all that the redaction shows. */
  public static MessageView of(StoredMessage<?> message, Redaction redaction) {
    return of(message, redaction, true, Clock.systemUTC().instant());
  }

  /**
   * Returns the view of a message that was listed {@linkplain
   * io.punctual.MessageQuery#withoutPayloads without payloads}.
   */
  public static MessageView withoutPayload(StoredMessage<?> message, Redaction redaction) {
    return of(message, redaction, false, Instant.EPOCH);
  }

  private static MessageView of(
      StoredMessage<?> message, Redaction redaction, boolean isRead, Instant now) {
    // Of a finished message, only the id is left.
    boolean isWhole = isRead && message.state() != State.FINISHED;
    return new MessageView(
        message.id(),
        message.state().name(),
        isWhole ? instant(message.createdAt()) : null,
        Values.instant(message.dueAt()),
        isWhole ? RecurrenceView.of(message, now) : null,
        isWhole ? instant(message.notAfter()) : null,
        message.attempts(),
        instant(message.leasedUntil()),
        message.leaseHolder().map(HolderView::of).orElse(null),
        instant(message.rememberedUntil()),
        message.isCancelled(),
        instant(message.diedAt()),
        message.deadReason().map(Enum::name).orElse(null),
        redaction.failure(message.reason().orElse(null)),
        redaction.failure(message.failureOrigin().orElse(null)),
        redaction.showsContents()
            ? message.failures().stream().map(FailureView::of).toList()
            : null,
        isWhole ? redaction.headers(message.headers()) : null,
        isWhole ? PayloadView.of(message, redaction) : null);
  }

  private static @Nullable String instant(Optional<Instant> instant) {
    return instant.map(Values::instant).orElse(null);
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("id", id)
        .put("state", state)
        .put("createdAt", createdAt)
        .put("dueAt", dueAt)
        .fields(recurrence)
        .put("notAfter", notAfter)
        .put("attempts", attempts)
        .put("leasedUntil", leasedUntil)
        .put("leaseHolder", leaseHolder)
        .put("rememberedUntil", rememberedUntil)
        .flag("cancelled", cancelled)
        .put("diedAt", diedAt)
        .put("deadReason", deadReason)
        .put("reason", reason)
        .put("origin", origin)
        .putAll("failures", failures == null || failures.isEmpty() ? null : failures)
        .put("headers", headers)
        .fields(content)
        .toMap();
  }
}
