package io.punctual.internal.claim;

import io.punctual.WorkerOptions;
import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.delivery.ClaimedMessage;
import io.punctual.internal.delivery.DeliveryRules;
import io.punctual.internal.delivery.LeaseEnd;
import io.punctual.internal.session.ClaimCallback;
import io.punctual.internal.session.PartitionSession;
import io.punctual.spi.Call;
import io.punctual.spi.Reply;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Settles messages of an at-most-once claim that no caller may receive: messages that have expired,
 * whose last lease ran out above the attempt limit, or that have an undecodable payload or an
 * unknown recurrence. The claim has removed these messages, so this class puts them back, leases
 * them in a second claim, and lets {@link DeliveryRules} settle them. Thread-safe.
 */
final class Rejects<T> {
  private static final Duration LEASE = WorkerOptions.DEFAULT.lease();
  private static final long LEASE_MILLIS = LEASE.toMillis();

  /**
   * The delay of a rejected message that the rules admits at the second claim, for example because
   * the codec works now.
   */
  private static final Duration AFTER_DOUBT = Duration.ofSeconds(1);

  private final DeliveryRules<T> rules;
  private final PutBack putBack;
  private final Executor decoder;

  Rejects(DeliveryRules<T> rules, PutBack putBack, Executor decoder) {
    this.rules = rules;
    this.putBack = putBack;
    this.decoder = decoder;
  }

  /** Settles messages of one partition; completes after one try, even if it failed. */
  CompletableFuture<?> settle(List<Reply.Leased> rejected, PartitionSession session) {
    return putBack
        .all(rejected, session)
        .thenCompose(
            back -> {
              Sweep sweep = new Sweep(rejected, session);
              session.claim(new Call.Claim(rejected.size(), LEASE_MILLIS), sweep);
              return sweep.end;
            });
  }

  /** The second claim. It can also lease other due messages, which it releases. */
  private final class Sweep implements ClaimCallback {
    /** The due time of each rejected message, by its id. */
    private final Map<String, Long> rejected;

    private final PartitionSession session;
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    Sweep(List<Reply.Leased> rejected, PartitionSession session) {
      this.rejected =
          rejected.stream().collect(Collectors.toMap(Reply.Leased::id, Reply.Leased::dueMillis));
      this.session = session;
    }

    @Override
    public void claimed(Reply.Claimed claimed, long firstSentNanos) {
      long now = rules.settling().env().nanoTime();
      long nanos = firstSentNanos + LEASE.toNanos();
      LeaseEnd leaseEnd = new LeaseEnd(nanos, rules.settling().env().wallAheadNanos());
      ClaimLease lease = ClaimLease.of(claimed, session, leaseEnd, now);
      AtomicBoolean begun = new AtomicBoolean();
      // If the timer is closed, only the executor can settle the messages.
      @Nullable Timeout over =
          rules
              .settling()
              .env()
              .ifOpen(LEASE.toNanos(), () -> once(begun, () -> dropped(claimed, lease)));
      decoder.execute(
          () -> {
            if (over != null) {
              over.cancel();
            }
            once(begun, () -> settle(claimed, lease));
          });
    }

    private void once(AtomicBoolean begun, Runnable task) {
      if (begun.compareAndSet(false, true)) {
        try {
          task.run();
        } finally {
          end.complete(null);
        }
      }
    }

    /** Releases the messages, because the executor has not started its task during their lease. */
    private void dropped(Reply.Claimed claimed, ClaimLease lease) {
      rules.settling().log().callbackNotRun();
      claimed.messages().forEach(each -> rules.tooLate(new ClaimedMessage(each, lease)));
      rules.releaseUnreadable(claimed, lease);
    }

    private void settle(Reply.Claimed claimed, ClaimLease lease) {
      List<DeliveryRules.Dying<T>> dying = new ArrayList<>();
      rules.received(claimed, lease);
      claimed.messages().forEach(message -> settle(message, lease, dying));
      new ManualDeadCalls<>(rules, LEASE_MILLIS).start(dying);
    }

    private void settle(
        Reply.Leased message, ClaimLease lease, List<DeliveryRules.Dying<T>> dying) {
      Long due = rejected.get(message.id());
      if (due == null || due != message.dueMillis()) {
        rules.release(message, lease);
        return;
      }
      rules
          .admit(message, lease, dying::add)
          .ifPresent(
              admitted -> {
                CompletableFuture<?> unused = admitted.async().defer(AFTER_DOUBT);
              });
    }

    @Override
    public void failed(RuntimeException reason) {
      // The messages are back in the queue, and the next take rejects them again.
      end.complete(null);
    }
  }
}
