package io.punctual.kit.history;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.LimitUse;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import io.punctual.spi.ShareLedger;
import io.punctual.spi.WakeUp;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A partition whose claims and settlements are recorded. All sendings of a call are recorded with
 * the same number. Safe for use by many threads.
 */
final class RecordingPartition implements Partition {
  private final Partition partition;
  private final Recording recording;
  private final Map<CallKey, RecordedCall> calls = new HashMap<>();

  RecordingPartition(Partition partition, Recording recording) {
    this.partition = partition;
    this.recording = recording;
  }

  private record CallKey(String session, long number) {}

  Partition recorded() {
    return partition;
  }

  @Override
  public CompletionStage<Reply> call(Call call) {
    return call(partition, call);
  }

  private CompletionStage<Reply> call(Sessions sessions, Call call) {
    RecordedCall recorded = recorded(call);
    return sessions
        .call(call)
        .whenComplete(
            (reply, failure) -> {
              if (reply == null) {
                recorded.failed(failure);
              } else {
                recorded.answered(reply);
              }
            });
  }

  private synchronized RecordedCall recorded(Call call) {
    calls
        .keySet()
        .removeIf(
            key -> key.session.equals(call.session()) && key.number < call.lowestUnanswered());
    CallKey key = new CallKey(call.session(), call.number());
    RecordedCall known = calls.get(key);
    if (known != null) {
      known.sentAgain();
      return known;
    }
    RecordedCall first = RecordedCall.firstSent(call.body(), partition.queue(), recording);
    calls.put(key, first);
    return first;
  }

  @Override
  public String queue() {
    return partition.queue();
  }

  @Override
  public int index() {
    return partition.index();
  }

  @Override
  public boolean prefersBatching() {
    return partition.prefersBatching();
  }

  @Override
  public @Nullable Sessions claimSessions() {
    Sessions sessions = partition.claimSessions();
    return sessions == null ? null : new RecordedSessions(sessions);
  }

  private final class RecordedSessions implements Sessions {
    private final Sessions sessions;

    RecordedSessions(Sessions sessions) {
      this.sessions = sessions;
    }

    @Override
    public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
      return sessions.openSession(session, replaces);
    }

    @Override
    public CompletionStage<Reply> call(Call call) {
      return RecordingPartition.this.call(sessions, call);
    }

    @Override
    public CompletionStage<@Nullable Void> closeSession(String session) {
      return sessions.closeSession(session);
    }
  }

  @Override
  public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
    return partition.openSession(session, replaces);
  }

  @Override
  public CompletionStage<@Nullable Void> closeSession(String session) {
    return partition.closeSession(session);
  }

  @Override
  public CompletionStage<Optional<Entry>> find(String id) {
    return partition.find(id);
  }

  @Override
  public CompletionStage<EntryPage> browse(EntryQuery query, @Nullable String cursor, int limit) {
    return partition.browse(query, cursor, limit);
  }

  @Override
  public String cursorAfter(EntryQuery query, Entry entry) {
    return partition.cursorAfter(query, entry);
  }

  @Override
  public CompletionStage<PartitionCounts> counts() {
    return partition.counts();
  }

  @Override
  public CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets) {
    return partition.forecast(fromMillis, widthMillis, buckets);
  }

  @Override
  public CompletionStage<@Nullable Void> pause(boolean paused, PauseNote note) {
    return partition.pause(paused, note);
  }

  @Override
  public CompletionStage<@Nullable Void> limits(QueueLimits limits) {
    return partition.limits(limits);
  }

  @Override
  public CompletionStage<Optional<LimitUse>> limitUse() {
    return partition.limitUse();
  }

  @Override
  public CompletionStage<Optional<LimitUse>> moveShares(ShareLedger expected, ShareLedger next) {
    return partition.moveShares(expected, next);
  }

  @Override
  public CompletionStage<Long> purge(Set<State> states) {
    return partition.purge(states);
  }

  @Override
  public Registration onWakeUp(WakeUp listener) {
    return partition.onWakeUp(listener);
  }

  @Override
  public void handOver() {
    partition.handOver();
  }
}
