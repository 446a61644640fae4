package io.punctual.internal.claim;

import io.punctual.Delivery;
import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.delivery.ClientDelivery;
import io.punctual.internal.delivery.Intake;
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
 */
public record AtLeastOnce<T>(Intake<T> intake, Call.Claim claim) implements ClaimMode<Delivery<T>> {
  @Override
  public boolean isAtMostOnce() {
    return false;
  }

  @Override
  public void sift(Reply.Claimed claimed, ClaimLease lease, Consumer<Reply.Claimed> rest) {
    Suspects.Sifted sifted = intake.sift(claimed, lease);
    if (sifted.suspect() == null) {
      rest.accept(sifted.others());
    } else {
      intake.settling().isolation().whenReturned(lease, () -> rest.accept(sifted.together()));
    }
  }

  @Override
  public Received<Delivery<T>> receive(Reply.Claimed claimed, ClaimLease lease) {
    List<Intake.Dying<T>> dying = new ArrayList<>();
    List<ClientDelivery<T>> deliveries = new ArrayList<>();
    Deque<Reply.Leased> left = new ArrayDeque<>(claimed.messages());
    try {
      intake.received(claimed, lease);
      while (!left.isEmpty()) {
        intake.admit(left.element(), lease, dying::add).ifPresent(deliveries::add);
        left.remove();
      }
      deliveries.forEach(ClientDelivery::handedOver);
      new ManualDeadCalls<>(intake, claim.leaseMillis()).start(dying);
    } catch (Throwable e) {
      left.forEach(message -> intake.release(message, lease));
      dying.forEach(each -> intake.release(each.delivery()));
      return Received.failed(e, release(deliveries));
    }
    return Received.of(List.copyOf(deliveries), () -> {}, () -> release(deliveries));
  }

  private CompletableFuture<?> release(List<ClientDelivery<T>> deliveries) {
    deliveries.forEach(intake::release);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<?> giveBack(Reply.Claimed claimed, ClaimLease lease) {
    intake.releaseAll(claimed, lease);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void unanswered() {
    // The client does nothing, because the messages are due again at the end of their leases.
  }
}
