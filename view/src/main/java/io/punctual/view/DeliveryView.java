package io.punctual.view;

import io.punctual.Delivery;
import io.punctual.Recurrence;
import io.punctual.RecurrenceException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A message that a consumer receives.
 *
 * @param id the message's id
 * @param token the token with which the consumer settles the delivery, or null if it need not
 * @param fencingToken the fencing token of the lease
 * @param dueAt when the message was due
 * @param deliveredAt when the consumer received it
 * @param latenessMillis how late the consumer received it
 * @param attempt the number of this attempt, from 1
 * @param lastAttempt whether the message is not retried after this attempt
 * @param leasedUntil the end of the lease, or null if the consumer need not settle
 * @param notAfter after which no handler receives the message, or null if it does not expire
 * @param recurrence the recurrence as a text for people, or null if the message is not recurring
 * @param occurrence the planned time of this occurrence, or null if the message is not recurring
 * @param failures the failures of earlier attempts, the latest last
 * @param headers the headers, sorted by name
 * @param content the payload
 */
public record DeliveryView(
    String id,
    @Nullable String token,
    long fencingToken,
    String dueAt,
    String deliveredAt,
    BigDecimal latenessMillis,
    int attempt,
    boolean lastAttempt,
    @Nullable String leasedUntil,
    @Nullable String notAfter,
    @Nullable String recurrence,
    @Nullable String occurrence,
    List<FailureView> failures,
    Map<String, String> headers,
    PayloadView content)
    implements View {

  /** Returns the view of a delivery for a consumer that need not settle it. */
  public static DeliveryView of(Delivery<byte[]> delivery) {
    return of(delivery, null, null);
  }

  /** Returns the view of a delivery for a consumer that settles it before the end of its lease. */
  public static DeliveryView leased(Delivery<byte[]> delivery, Instant until) {
    return of(delivery, delivery.receipt().token(), Values.instant(until));
  }

  private static DeliveryView of(
      Delivery<byte[]> delivery, @Nullable String token, @Nullable String leasedUntil) {
    String recurrence = recurrence(delivery);
    return new DeliveryView(
        delivery.id(),
        token,
        delivery.fencingToken(),
        Values.instant(delivery.dueAt()),
        Values.instant(deliveredAt(delivery)),
        Values.millis(delivery.lateness()),
        delivery.attempt(),
        delivery.isLastAttempt(),
        leasedUntil,
        delivery.notAfter().map(Values::instant).orElse(null),
        recurrence,
        recurrence == null ? null : Values.instant(delivery.occurrence()),
        delivery.failures().stream().map(FailureView::of).toList(),
        new TreeMap<>(delivery.headers()),
        PayloadView.of(delivery.payload(), Redaction.NONE));
  }

  private static @Nullable String recurrence(Delivery<?> delivery) {
    try {
      return delivery.recurrence().map(Recurrence::toString).orElse(null);
    } catch (RecurrenceException e) {
      return e.getMessage();
    }
  }

  /**
   * Returns the due time plus the lateness, by the store's clock. The lateness is capped at 292
   * years; if the message was due more than 292 years before the claim, returns the time of the
   * claim.
   */
  private static Instant deliveredAt(Delivery<?> delivery) {
    Instant delivered = delivery.dueAt().plus(delivery.lateness());
    Instant claimed = delivery.claimedAt();
    return (delivered.isBefore(claimed) ? claimed : delivered).truncatedTo(ChronoUnit.MILLIS);
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("id", id)
        .put("token", token)
        .put("fencingToken", fencingToken)
        .put("dueAt", dueAt)
        .put("deliveredAt", deliveredAt)
        .put("latenessMillis", latenessMillis)
        .put("attempt", attempt)
        .put("lastAttempt", lastAttempt)
        .put("leasedUntil", leasedUntil)
        .put("notAfter", notAfter)
        .put("recurrence", recurrence)
        .put("occurrence", occurrence)
        .putAll("failures", failures.isEmpty() ? null : failures)
        .put("headers", headers)
        .fields(content)
        .toMap();
  }
}
