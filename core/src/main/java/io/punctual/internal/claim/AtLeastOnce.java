package io.punctual.internal.claim;

import io.punctual.Delivery;
import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.delivery.ClientDelivery;
import io.punctual.internal.delivery.DeliveryRules;
import io.punctual.internal.delivery.Suspects;
import io.punctual.spi.Call;
import io.punctual.spi.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Claims messages that the caller settles. If no caller receives a message, it is released; if the
 * release is lost, the message is due again at the end of its lease. Thread-safe.
 *
 * @param holding notes the messages that the caller holds
 */
public record AtLeastOnce<T>(
    DeliveryRules<T> rules, Call.Claim claim, Consumer<List<ClientDelivery<T>>> holding)
    implements ClaimMode<Delivery<T>> {
  @Override
  public boolean isAtMostOnce() {
    return false;
  }

  @Override
  public void sift(Reply.Claimed claimed, ClaimLease lease, Consumer<Reply.Claimed> rest) {
    Suspects.Sifted sifted = rules.sift(claimed, lease);
    if (sifted.suspect() == null) {
      rest.accept(sifted.others());
    } else {
      rules.settling().isolation().whenReturned(lease, () -> rest.accept(sifted.together()));
    }
  }

  @Override
  public Received<Delivery<T>> receive(Reply.Claimed claimed, ClaimLease lease) {
    List<DeliveryRules.Dying<T>> dying = new ArrayList<>();
    List<ClientDelivery<T>> deliveries = new ArrayList<>();
    Deque<Reply.Leased> left = new ArrayDeque<>(claimed.messages());
    try {
      rules.received(claimed, lease);
      while (!left.isEmpty()) {
        rules.admit(left.element(), lease, dying::add).ifPresent(deliveries::add);
        left.remove();
      }
      deliveries.forEach(ClientDelivery::handedOver);
      holding.accept(deliveries);
      new ManualDeadCalls<>(rules, claim.leaseMillis()).start(dying);
    } catch (Throwable e) {
      left.forEach(message -> rules.release(message, lease));
      dying.forEach(each -> rules.release(each.delivery()));
      return Received.failed(e, release(deliveries));
    }
    return Received.of(List.copyOf(deliveries), () -> {}, () -> release(deliveries));
  }

  private CompletableFuture<?> release(List<ClientDelivery<T>> deliveries) {
    deliveries.forEach(rules::release);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<?> giveBack(Reply.Claimed claimed, ClaimLease lease) {
    rules.releaseAll(claimed, lease);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void unanswered() {
    // The client does nothing, because the messages are due again at the end of their leases.
  }
}
