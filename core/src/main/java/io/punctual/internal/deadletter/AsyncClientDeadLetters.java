package io.punctual.internal.deadletter;

import io.punctual.Page;
import io.punctual.StoredMessage;
import io.punctual.deadletter.AsyncDeadLetters;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.deadletter.DeadLetterRetention;
import io.punctual.internal.queue.QueueView;
import io.punctual.spi.Operation;
import io.punctual.task.Task;
import java.util.concurrent.CompletionStage;

/** The asynchronous forms of {@link ClientDeadLetters}. Thread-safe. */
record AsyncClientDeadLetters<T>(QueueView<T> view, ClientDeadLetters<T> deadLetters)
    implements AsyncDeadLetters<T> {
  @Override
  public CompletionStage<Page<StoredMessage<T>>> list(DeadLetterQuery query) {
    return view.visible(deadLetters.listing(query));
  }

  @Override
  public Task<DeadLetterGroups> groups(DeadLetterFilter filter) {
    return deadLetters.grouping(filter);
  }

  @Override
  public CompletionStage<DeadLetterOutcome> redrive(String id) {
    return view.visible(deadLetters.submit(new Operation.Redrive(id)));
  }

  @Override
  public CompletionStage<DeadLetterOutcome> redrive(String id, T payload) {
    return view.visible(deadLetters.edit(id, payload));
  }

  @Override
  public CompletionStage<DeadLetterOutcome> delete(String id) {
    return view.visible(deadLetters.submit(new Operation.DeleteDead(id)));
  }

  @Override
  public CompletionStage<Long> deleteBeyond(DeadLetterRetention retention) {
    return view.visible(deadLetters.deletionBeyond(retention));
  }
}
