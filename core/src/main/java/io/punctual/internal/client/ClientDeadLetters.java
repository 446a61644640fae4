package io.punctual.internal.client;

import io.punctual.DeadLetterOutcome;
import io.punctual.DeadLetters;
import io.punctual.Page;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.Waiting;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The implementation of {@link DeadLetters} by a client. Thread-safe. */
final class ClientDeadLetters<T> implements DeadLetters<T> {
  private final QueueView<T> view;
  private final QueueAdmin<T> admin;

  ClientDeadLetters(QueueView<T> view, QueueAdmin<T> admin) {
    this.view = view;
    this.admin = admin;
  }

  @Override
  public Page<StoredMessage<T>> list(Optional<String> cursor, int limit) {
    return view.await(() -> admin.browse(State.DEAD, cursor, limit));
  }

  @Override
  public CompletionStage<Page<StoredMessage<T>>> listAsync(Optional<String> cursor, int limit) {
    return view.visible(admin.browse(State.DEAD, cursor, limit));
  }

  @Override
  public DeadLetterOutcome redrive(String id) {
    return view.await(() -> submit(new Operation.Redrive(id)));
  }

  @Override
  public CompletionStage<DeadLetterOutcome> redriveAsync(String id) {
    return view.visible(submit(new Operation.Redrive(id)));
  }

  @Override
  public DeadLetterOutcome delete(String id) {
    return view.await(() -> submit(new Operation.DeleteDead(id)));
  }

  @Override
  public CompletionStage<DeadLetterOutcome> deleteAsync(String id) {
    return view.visible(submit(new Operation.DeleteDead(id)));
  }

  private Awaited<DeadLetterOutcome> submit(Operation operation) {
    return view.submit(operation, ClientDeadLetters::outcome);
  }

  static DeadLetterOutcome outcome(Outcome outcome) {
    return OutcomeCallback.as(Outcome.OfDeadLetter.class, outcome).outcome();
  }

  @Override
  public long redriveAll() {
    return Waiting.forEndOf(this::startRedriveAll);
  }

  @Override
  public CompletionStage<Long> redriveAllAsync() {
    return view.visible(startRedriveAll());
  }

  private Awaited<Long> startRedriveAll() {
    view.client().requireOpen();
    return view.change("redrive of all dead letters", () -> new RedriveAll(view).start());
  }

  @Override
  public long deleteAll() {
    return Waiting.forEndOf(() -> admin.purge(Set.of(State.DEAD)));
  }

  @Override
  public CompletionStage<Long> deleteAllAsync() {
    return view.visible(admin.purge(Set.of(State.DEAD)));
  }
}
