package io.punctual.internal.queue;

import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import io.punctual.internal.delivery.ReceiptSettlement;
import io.punctual.internal.delivery.SettlementContext;
import io.punctual.internal.partition.PendingChange;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Settles messages of a queue by their receipts. If the effect of a settlement depends on stored
 * parts of the message, such as its recurrence, a look-up precedes the settlement. These parts do
 * not change while the token is valid. Thread-safe.
 */
public record ReceiptSettlements<T>(QueueView<T> view, QueueAdmin<T> admin) {
  public Awaited<List<SettleOutcome>> settle(Collection<? extends Settlement> settlements) {
    view.client().requireOpen();
    List<Settlement> all = new ArrayList<>(settlements.size());
    for (Settlement settlement : settlements) {
      all.add(Objects.requireNonNull(settlement, "The collection contains a null settlement"));
    }
    List<String> read =
        all.stream().filter(ReceiptSettlement::needsEntry).map(Settlement::id).distinct().toList();
    if (read.isEmpty()) {
      return submit(all, Map.of());
    }
    view.client().require(Capability.BROWSE);
    String what = "The settlement of " + all.size() + " messages in queue '" + view.queue() + "'";
    CompletableFuture<List<SettleOutcome>> answer =
        view.ask("find before a settlement", () -> admin.entries(read))
            .answer()
            .thenCompose(found -> submit(all, byId(read, found)).answer());
    return new Awaited.Change<>(what, answer);
  }

  private static Map<String, Entry> byId(List<String> ids, List<Optional<Entry>> found) {
    Map<String, Entry> entries = new HashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      String id = ids.get(i);
      found.get(i).ifPresent(entry -> entries.put(id, entry));
    }
    return entries;
  }

  private Awaited<List<SettleOutcome>> submit(List<Settlement> all, Map<String, Entry> entries) {
    return view.submitAll(
        all.stream().map(settlement -> change(settlement, entries.get(settlement.id()))).toList());
  }

  private PendingChange<SettleOutcome> change(Settlement settlement, @Nullable Entry entry) {
    ReceiptSettlement step = ReceiptSettlement.of(settlement, entry, settling(), view.codec());
    return view.change(
        step.operation(),
        outcome -> {
          SettleOutcome result = OutcomeCallback.as(Outcome.OfSettlement.class, outcome).outcome();
          step.report(result);
          if (result != SettleOutcome.LEASE_LOST && !(settlement instanceof Settlement.Extend)) {
            view.client().claimants().left(view.queue(), settlement.id());
          }
          return result;
        });
  }

  private SettlementContext settling() {
    return new SettlementContext(
        view.queue(),
        view.env(),
        view.partitions().log(),
        view.durability(),
        SettlementContext.SettlementWatch.NONE,
        view.client().consumers().isolation());
  }
}
