package io.punctual.testkit.history;

import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Lane;
import io.punctual.spi.LaneCounts;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.WakeUp;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A lane whose claims and settlements are recorded, each under one number however often it is sent.
 * Safe for use by many threads.
 */
final class RecordingLane implements Lane {
  private final Lane lane;
  private final Recording recording;
  private final Map<CallKey, RecordedCall> calls = new HashMap<>();

  RecordingLane(Lane lane, Recording recording) {
    this.lane = lane;
    this.recording = recording;
  }

  private record CallKey(String session, long number) {}

  Lane recorded() {
    return lane;
  }

  @Override
  public CompletionStage<Reply> call(Call call) {
    RecordedCall recorded = recorded(call);
    return lane.call(call)
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
    RecordedCall first = RecordedCall.firstSent(call.body(), lane.queue(), recording);
    calls.put(key, first);
    return first;
  }

  @Override
  public String queue() {
    return lane.queue();
  }

  @Override
  public int index() {
    return lane.index();
  }

  @Override
  public boolean isGathering() {
    return lane.isGathering();
  }

  @Override
  public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
    return lane.openSession(session, replaces);
  }

  @Override
  public CompletionStage<@Nullable Void> closeSession(String session) {
    return lane.closeSession(session);
  }

  @Override
  public CompletionStage<Optional<Entry>> find(String id) {
    return lane.find(id);
  }

  @Override
  public CompletionStage<EntryPage> browse(State state, @Nullable String cursor, int limit) {
    return lane.browse(state, cursor, limit);
  }

  @Override
  public CompletionStage<LaneCounts> counts() {
    return lane.counts();
  }

  @Override
  public CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets) {
    return lane.forecast(fromMillis, widthMillis, buckets);
  }

  @Override
  public CompletionStage<@Nullable Void> pause(boolean paused) {
    return lane.pause(paused);
  }

  @Override
  public CompletionStage<Long> purge(Set<State> states) {
    return lane.purge(states);
  }

  @Override
  public Registration onWakeUp(WakeUp listener) {
    return lane.onWakeUp(listener);
  }

  @Override
  public void handOver() {
    lane.handOver();
  }
}
