package io.punctual.internal.session;

import io.punctual.PauseNote;
import io.punctual.State;
import io.punctual.Transaction;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import io.punctual.spi.WakeUp;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A partition that leaves each call unanswered until the test answers it. */
public final class ScriptedPartition implements Partition {
  /** A call that waits for the test to answer it. */
  public record Pending(Call call, CompletableFuture<Reply> answer) {
    List<String> ids() {
      return ((Call.Apply) call.body()).operations().stream().map(o -> o.id()).toList();
    }
  }

  final List<String> opened = new ArrayList<>();
  final List<@Nullable String> replaced = new ArrayList<>();
  final List<String> closed = new ArrayList<>();
  public final Deque<Pending> calls = new ArrayDeque<>();
  public @Nullable RuntimeException openFailure;
  public @Nullable Error callError;
  public boolean prefersBatching;
  public Registration listening = () -> {};
  public int listeners;
  private final @Nullable Sessions claimSessions;

  /** Creates a partition without sessions for claims. */
  public ScriptedPartition() {
    claimSessions = null;
  }

  public ScriptedPartition(Sessions claimSessions) {
    this.claimSessions = claimSessions;
  }

  public Pending next() {
    return calls.remove();
  }

  @Override
  public String queue() {
    return "q";
  }

  @Override
  public int index() {
    return 0;
  }

  @Override
  public boolean prefersBatching() {
    return prefersBatching;
  }

  @Override
  public @Nullable Sessions claimSessions() {
    return claimSessions;
  }

  @Override
  public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
    if (openFailure != null) {
      return CompletableFuture.failedFuture(openFailure);
    }
    opened.add(session);
    replaced.add(replaces);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<Reply> call(Call call) {
    if (callError != null) {
      throw callError;
    }
    Pending pending = new Pending(call, new CompletableFuture<>());
    calls.add(pending);
    return pending.answer();
  }

  @Override
  public List<Outcome> applyIn(Transaction transaction, List<Operation> operations) {
    throw Objects.requireNonNull(callError);
  }

  @Override
  public CompletionStage<@Nullable Void> closeSession(String session) {
    closed.add(session);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<Optional<Entry>> find(String id) {
    throw new AssertionError();
  }

  @Override
  public CompletionStage<EntryPage> browse(EntryQuery query, @Nullable String cursor, int limit) {
    throw new AssertionError();
  }

  @Override
  public CompletionStage<PartitionCounts> counts() {
    throw new AssertionError();
  }

  @Override
  public CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets) {
    throw new AssertionError();
  }

  @Override
  public CompletionStage<@Nullable Void> pause(boolean paused, PauseNote note) {
    throw new AssertionError();
  }

  @Override
  public CompletionStage<Long> purge(Set<State> states) {
    throw new AssertionError();
  }

  @Override
  public Registration onWakeUp(WakeUp listener) {
    listeners++;
    return listening;
  }
}
