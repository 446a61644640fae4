package io.punctual.internal.claim;

import io.punctual.Due;
import io.punctual.Message;
import io.punctual.RecurrenceException;
import io.punctual.WorkerOptions;
import io.punctual.event.Event;
import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.delivery.DeliveryRules;
import io.punctual.internal.delivery.Occurrence;
import io.punctual.internal.delivery.SettlementContext;
import io.punctual.internal.message.RecurrenceHeaders;
import io.punctual.internal.message.RememberHeader;
import io.punctual.internal.runtime.Environment;
import io.punctual.spi.Call;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Takes messages at most once: the claim removes its messages, and the caller receives them at
 * once. Then the client schedules the next occurrences of recurring messages, and remembers the ids
 * of messages that ask for it. If no caller receives a message, {@link PutBack} restores it.
 * Thread-safe.
 */
public final class AtMostOnce<T> implements ClaimMode<Message<T>> {
  /** The lease of unreadable messages, which the client buries. */
  private static final long LEASE_MILLIS = WorkerOptions.DEFAULT.lease().toMillis();

  private final DeliveryRules<T> rules;
  private final SettlementContext settling;
  private final Call.Claim claim;
  private final PutBack putBack;
  private final Rejects<T> rejects;

  /**
   * Creates the mode of a claim.
   *
   * @param max the largest number of messages
   * @param decoder runs the codec
   */
  public AtMostOnce(DeliveryRules<T> rules, int max, Executor decoder) {
    this.rules = rules;
    this.settling = rules.settling();
    this.claim = new Call.Claim(max, LEASE_MILLIS, true);
    this.putBack = new PutBack(settling);
    this.rejects = new Rejects<>(rules, putBack, decoder);
  }

  @Override
  public Call.Claim claim() {
    return claim;
  }

  @Override
  public boolean isAtMostOnce() {
    return true;
  }

  @Override
  public Received<Message<T>> receive(Reply.Claimed claimed, ClaimLease lease) {
    try {
      rules.received(claimed, lease);
      return sorted(claimed, lease);
    } catch (Throwable e) {
      return Received.failed(e, putBack.all(claimed.messages(), lease.session()));
    }
  }

  private Received<Message<T>> sorted(Reply.Claimed claimed, ClaimLease lease) {
    List<Reply.Leased> taken = new ArrayList<>();
    List<Message<T>> messages = new ArrayList<>();
    List<Reply.Leased> rejected = new ArrayList<>();
    for (Reply.Leased message : claimed.messages()) {
      Optional<T> payload = rules.acceptable(message, lease);
      if (payload.isPresent()) {
        taken.add(message);
        messages.add(message(message, payload.get()));
      } else {
        rejected.add(message);
      }
    }
    List<Message<T>> result = List.copyOf(messages);
    Runnable handOver = () -> handedOver(taken, lease);
    Supplier<CompletableFuture<?>> refused = () -> putBack.all(taken, lease.session());
    return rejected.isEmpty()
        ? Received.of(result, handOver, refused)
        : new Received<>(
            result, handOver, refused, true, rejects.settle(rejected, lease.session()), null);
  }

  private Message<T> message(Reply.Leased leased, T payload) {
    Message<T> message =
        Message.of(payload)
            .id(leased.id())
            .due(Due.at(Instant.ofEpochMilli(leased.dueMillis())))
            .headers(RecurrenceHeaders.ofUser(leased.content().headers()));
    Occurrence occurrence = rules.occurrence(leased);
    Message<T> whole = occurrence == null ? message : message.recurring(occurrence.recurrence());
    Message<T> remembered =
        RememberHeader.time(leased.content().headers()).map(whole::rememberFor).orElse(whole);
    return leased.content().notAfter().map(remembered::notAfter).orElse(remembered);
  }

  /**
   * Ends messages that the caller has received: schedules the next occurrences of recurring
   * messages, and remembers the ids of other messages that ask for it.
   */
  private void handedOver(List<Reply.Leased> taken, ClaimLease lease) {
    List<PutBack.Next> recurring = new ArrayList<>();
    List<Reply.Leased> remembered = new ArrayList<>();
    for (Reply.Leased message : taken) {
      publishHandedOver(message, lease);
      Optional<PutBack.Next> next = next(message, lease);
      if (next.isPresent()) {
        recurring.add(next.get());
      } else if (RememberHeader.millis(message.content().headers()) > 0) {
        remembered.add(message);
      } else {
        settling.env().events().publish(() -> putBack.acked(message));
      }
    }
    putBack.next(recurring, lease.session());
    putBack.remember(remembered, lease, settling.env().nanoTime());
  }

  /**
   * Returns the next occurrence of a taken message; empty if there is none, or if it can't be
   * computed.
   */
  private Optional<PutBack.Next> next(Reply.Leased message, ClaimLease lease) {
    Occurrence occurrence = rules.occurrence(message);
    if (occurrence == null) {
      return Optional.empty();
    }
    Instant now = Instant.ofEpochMilli(lease.engineMillis(settling.env().nanoTime()));
    try {
      return occurrence.next(now).map(due -> new PutBack.Next(message, occurrence, due));
    } catch (RecurrenceException e) {
      settling.log().nextNotScheduled(message.id(), e);
      return Optional.empty();
    }
  }

  private void publishHandedOver(Reply.Leased message, ClaimLease lease) {
    Environment env = settling.env();
    long micros = lease.latenessMicros(message.dueMillis(), env.nanoTime());
    env.events()
        .publish(
            () ->
                new Event.MessageHandedOver(
                    settling.queue(),
                    message.id(),
                    message.attempt(),
                    Duration.of(micros, ChronoUnit.MICROS)));
  }

  @Override
  public CompletableFuture<?> giveBack(Reply.Claimed claimed, ClaimLease lease) {
    rules.releaseUnreadable(claimed, lease);
    return putBack.all(claimed.messages(), lease.session());
  }

  @Override
  public void unanswered() {
    settling.log().takeUnanswered();
  }
}
