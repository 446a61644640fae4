package io.punctual.journal.partition;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.embedded.Cursor;
import io.punctual.embedded.DueHistogram;
import io.punctual.embedded.PageSearch;
import io.punctual.embedded.Purge;
import io.punctual.embedded.SlotScan;
import io.punctual.embedded.StateCounts;
import io.punctual.embedded.WakeUps;
import io.punctual.journal.format.Id;
import io.punctual.journal.index.SlotTable;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.WakeUp;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The only partition of a queue in the journal. The calling thread encodes the messages, the
 * journal's thread executes the calls, and the thread for replies completes the stages. Safe for
 * use by many threads.
 */
public final class JournalPartition implements Partition {
  /** The number of slots that a scan visits before other calls may run. */
  private static final int STEP = 4096;

  private final Journal journal;
  private final PartitionState state;
  private final JournalCalls calls;
  private final WakeUps wakeUps = new WakeUps();

  public JournalPartition(Journal journal, PartitionState state) {
    this.journal = journal;
    this.state = state;
    calls = new JournalCalls(journal, state);
    state.onHint(this::hint);
  }

  @Override
  public String queue() {
    return state.name();
  }

  @Override
  public int index() {
    return 0;
  }

  @Override
  public boolean prefersBatching() {
    return true;
  }

  @Override
  public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
    return now(() -> calls.sessions().open(session, replaces));
  }

  @Override
  public CompletionStage<@Nullable Void> closeSession(String session) {
    return now(() -> calls.sessions().close(session));
  }

  /** Ends all sessions. Called on the journal's thread. */
  public void forgetSessions() {
    calls.sessions().clear();
  }

  private CompletionStage<@Nullable Void> now(Runnable action) {
    CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    journal.submit(
        done,
        () -> {
          action.run();
          journal.reply(() -> done.complete(null));
        });
    return done;
  }

  @Override
  public CompletionStage<Reply> call(Call call) {
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    List<Prepared> prepared =
        call.body() instanceof Call.Apply apply && apply.operations().size() <= MAX_OPERATIONS
            ? Prepared.all(apply, state.hashSeed(), journal.now())
            : List.of();
    journal.submitCall(reply, () -> calls.answer(call, prepared, reply));
    return reply;
  }

  @Override
  public CompletionStage<Optional<Entry>> find(String id) {
    Id wanted = Id.of(id, state.hashSeed());
    return journal.look(
        () -> {
          int slot = state.find(wanted);
          long nowMillis = journal.now().millis();
          return slot == SlotTable.NONE || state.isForgotten(slot, nowMillis)
              ? Optional.empty()
              : Optional.of(calls.table().entry(slot, nowMillis, true));
        });
  }

  @Override
  public CompletionStage<EntryPage> browse(EntryQuery query, @Nullable String cursor, int limit) {
    if (limit < 1 || limit > MAX_PAGE) {
      return refused("A page has 1 to " + MAX_PAGE + " messages");
    }
    Cursor after;
    try {
      after = Cursor.parse(cursor, query.newestFirst());
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedStage(e);
    }
    return scan(
        () -> new PageSearch<>(calls.table(), query, after, limit, journal.now().millis()),
        PageSearch::page);
  }

  @Override
  public CompletionStage<PartitionCounts> counts() {
    return scan(
        () -> new StateCounts(calls.table(), journal.now().millis()), state.settings()::counts);
  }

  @Override
  public CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets) {
    if (widthMillis < 1 || buckets < 1 || buckets > MAX_BUCKETS) {
      return refused("A forecast has 1 to " + MAX_BUCKETS + " spans of 1 ms or more");
    }
    return scan(
        () -> new DueHistogram(calls.table(), fromMillis, widthMillis, buckets),
        DueHistogram::counts);
  }

  @Override
  public CompletionStage<@Nullable Void> pause(boolean paused, PauseNote note) {
    return journal.look(
        () -> {
          if (!state.settings().hasPause(paused, note)) {
            state.pause(paused, note);
          }
          if (!paused) {
            state.hint();
          }
          return null;
        });
  }

  @Override
  public CompletionStage<@Nullable Void> limits(QueueLimits limits) {
    return journal.look(
        () -> {
          if (!state.settings().limits().limits().equals(limits)) {
            state.limit(limits);
            state.hint();
          }
          return null;
        });
  }

  @Override
  public CompletionStage<Long> purge(Set<State> states) {
    Set<State> wanted = Set.copyOf(states);
    return scan(
        () -> state.purges().begin(calls.table(), wanted, () -> journal.now().millis()),
        Purge::end);
  }

  @Override
  public Registration onWakeUp(WakeUp listener) {
    return wakeUps.add(listener, this);
  }

  private void hint() {
    long untilNextMicros = untilNextMicros();
    journal.reply(() -> wakeUps.send(untilNextMicros));
  }

  /**
   * The microseconds until a client should claim next; {@link Reply#NONE} if it need not claim
   * before the next hint. Called on the journal's thread.
   */
  public long untilNextMicros() {
    return state.settings().limits().until(state.earliest(), journal.now());
  }

  private <S extends SlotScan, T> CompletionStage<T> scan(Supplier<S> begin, Function<S, T> end) {
    CompletableFuture<T> result = new CompletableFuture<>();
    journal.submit(
        result,
        () -> {
          S scan = begin.get();
          step(scan, 0, state.slots().end(), result, end);
        });
    return result;
  }

  private <S extends SlotScan, T> void step(
      S scan, int from, int last, CompletableFuture<T> result, Function<S, T> end) {
    int to = Math.min(from + STEP, last);
    scan.visit(from, to);
    if (to == last) {
      journal.answerWhenSafe(result, end.apply(scan));
    } else {
      journal.submit(result, () -> step(scan, to, last, result, end));
    }
  }

  private static <T> CompletionStage<T> refused(String why) {
    return CompletableFuture.failedStage(new IllegalArgumentException(why));
  }
}
