package io.punctual.internal.client;

import io.punctual.AsyncTimedQueue;
import io.punctual.CancelOutcome;
import io.punctual.ClaimOptions;
import io.punctual.Counts;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Forecast;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.RescheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.internal.queue.Changes;
import io.punctual.internal.queue.ManualClaims;
import io.punctual.internal.queue.QueueAdmin;
import io.punctual.internal.queue.QueueView;
import io.punctual.internal.queue.ReceiptSettlements;
import io.punctual.internal.queue.Scheduling;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The asynchronous forms of a {@link ClientQueue}. Thread-safe. */
record AsyncClientQueue<T>(
    QueueView<T> view,
    Scheduling<T> scheduling,
    Changes<T> changes,
    QueueAdmin<T> admin,
    ReceiptSettlements<T> settling,
    ManualClaims<T> claims)
    implements AsyncTimedQueue<T> {
  @Override
  public CompletionStage<Scheduled> schedule(Message<T> message, IfPresent ifPresent) {
    return view.visible(scheduling.schedule(message, ifPresent, 0));
  }

  @Override
  public CompletionStage<List<Scheduled>> scheduleAll(
      Collection<Message<T>> messages, IfPresent ifPresent) {
    return view.visible(scheduling.scheduleAll(messages, ifPresent, 0));
  }

  @Override
  public CompletionStage<CancelOutcome> cancel(String id) {
    return view.visible(changes.cancel(id));
  }

  @Override
  public CompletionStage<List<CancelOutcome>> cancelAll(Collection<String> ids) {
    return view.visible(changes.cancelAll(ids));
  }

  @Override
  public CompletionStage<List<SettleOutcome>> settle(Collection<? extends Settlement> settlements) {
    return view.visible(settling.settle(settlements));
  }

  @Override
  public CompletionStage<RescheduleOutcome> reschedule(String id, Due due) {
    return view.visible(changes.reschedule(id, due));
  }

  @Override
  public CompletionStage<RescheduleOutcome> runNow(String id) {
    return view.visible(changes.runNow(id));
  }

  @Override
  public CompletionStage<List<Delivery<T>>> claim(int max, ClaimOptions options) {
    return claims.claimAsync(max, options);
  }

  @Override
  public CompletionStage<List<Message<T>>> take(int max, ClaimOptions options) {
    return claims.takeAsync(max, options);
  }

  @Override
  public CompletionStage<Optional<StoredMessage<T>>> find(String id) {
    return view.visible(admin.find(id));
  }

  @Override
  public CompletionStage<List<Optional<StoredMessage<T>>>> findAll(Collection<String> ids) {
    return view.visible(admin.findAll(ids));
  }

  @Override
  public CompletionStage<Page<StoredMessage<T>>> browse(MessageQuery query) {
    return view.visible(admin.browse(query));
  }

  @Override
  public CompletionStage<Counts> counts() {
    return view.visible(admin.counts());
  }

  @Override
  public CompletionStage<Forecast> forecast(Instant from, Instant to, int buckets) {
    return view.visible(admin.forecast(from, to, buckets));
  }

  @Override
  public CompletionStage<@Nullable Void> pause(PauseNote note) {
    return view.visible(admin.pause(note));
  }

  @Override
  public CompletionStage<@Nullable Void> resume() {
    return view.visible(admin.resume());
  }

  @Override
  public CompletionStage<@Nullable Void> setLimits(QueueLimits limits) {
    return view.visible(admin.limit(limits));
  }

  @Override
  public CompletionStage<QueueLimits> limits() {
    return view.visible(admin.limits());
  }

  @Override
  public CompletionStage<Long> purge(Set<State> states) {
    return view.visible(admin.purge(states));
  }
}
