package io.punctual.testkit.simulation;

import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Lane;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import io.punctual.spi.WakeUp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The engine: a memory store that can lose sessions, and its last changes, as a fail-over to a
 * replica does. It writes down every change; to go back, it does the first of them again on a new
 * store, at the times at which they were done. Not thread-safe.
 */
final class Engine {
  private final EngineClock clock;
  private final Mix mix;
  private final ProtocolJudge judge;
  private final Map<LaneId, List<WakeUp>> listeners = new LinkedHashMap<>();
  private final Map<LaneId, List<String>> sessions = new LinkedHashMap<>();
  private final List<Change> changes = new ArrayList<>();
  private Store store;

  Engine(EngineClock clock, Mix mix, ProtocolJudge judge) {
    this.clock = clock;
    this.mix = mix;
    this.judge = judge;
    this.store = newStore();
  }

  /** A lane, in whichever store it is at the moment. */
  record LaneId(String queue, int index) {}

  private record Change(Instant at, LaneId lane, Function<Lane, CompletionStage<?>> change) {}

  private Store newStore() {
    return MemoryStore.builder().clock(clock).lanes(mix.lanes()).build();
  }

  EngineClock clock() {
    return clock;
  }

  List<LaneId> lanes(String queue) {
    List<LaneId> ids = new ArrayList<>();
    for (int index = 0; index < mix.lanes(); index++) {
      ids.add(new LaneId(queue, index));
    }
    return ids;
  }

  /** Returns the lane itself, to look at and to administer, without a network between. */
  Lane lane(LaneId id) {
    Lane lane = store.lanes(id.queue).toCompletableFuture().join().get(id.index);
    if (!listeners.containsKey(id)) {
      listeners.put(id, new ArrayList<>());
      listen(id, lane);
    }
    return lane;
  }

  private void listen(LaneId id, Lane lane) {
    Registration unused =
        lane.onWakeUp(until -> listeners(id).forEach(listener -> listener.wakeUp(until)));
  }

  private List<WakeUp> listeners(LaneId id) {
    return List.copyOf(listeners.getOrDefault(id, List.of()));
  }

  Registration onWakeUp(LaneId id, WakeUp listener) {
    Lane unused = lane(id);
    List<WakeUp> all = listeners.computeIfAbsent(id, key -> new ArrayList<>());
    all.add(listener);
    return () -> all.remove(listener);
  }

  CompletionStage<Reply> call(LaneId id, Call call) {
    return change(id, lane -> lane.call(call))
        .whenComplete((reply, failure) -> judge.answered(id, call, reply));
  }

  CompletionStage<@Nullable Void> openSession(
      LaneId id, String session, @Nullable String replaces) {
    sessions.computeIfAbsent(id, key -> new ArrayList<>()).add(session);
    judge.opened(id, session, replaces);
    return change(id, lane -> lane.openSession(session, replaces));
  }

  CompletionStage<@Nullable Void> closeSession(LaneId id, String session) {
    judge.forgotten(id, session);
    return change(id, lane -> lane.closeSession(session));
  }

  CompletionStage<@Nullable Void> pause(LaneId id, boolean paused) {
    return change(id, lane -> lane.pause(paused));
  }

  <T> CompletionStage<T> change(LaneId id, Function<Lane, CompletionStage<T>> change) {
    if (mix.rollbacks() > 0) {
      changes.add(new Change(clock.instant(), id, change::apply));
    }
    return change.apply(lane(id));
  }

  CompletionStage<long[]> untilNext(List<LaneId> ids) {
    return store.untilNext(ids.stream().map(this::lane).toList());
  }

  /** Returns whether there is something in a lane that could be claimed now. */
  boolean isClaimable(LaneId id) {
    return untilNext(List.of(id)).toCompletableFuture().join()[0] == 0;
  }

  /** Forgets one of the sessions ever opened with a lane. */
  void loseSession(LaneId id, Chance chance) {
    List<String> known = sessions.getOrDefault(id, List.of());
    if (!known.isEmpty()) {
      int newest = Math.max(0, known.size() - mix.clients());
      closeSession(id, known.get(chance.between(newest, known.size() - 1)));
    }
  }

  /** Goes back to the state before the last changes. */
  void rollBack(int lost) {
    List<Change> kept = List.copyOf(changes.subList(0, Math.max(0, changes.size() - lost)));
    store = newStore();
    changes.clear();
    changes.addAll(kept);
    for (Change change : kept) {
      clock.replay(change.at);
      Lane lane =
          store.lanes(change.lane.queue).toCompletableFuture().join().get(change.lane.index);
      CompletionStage<?> unused = change.change.apply(lane);
    }
    clock.replay(null);
    listeners.keySet().forEach(id -> listen(id, lane(id)));
    judge.rolledBack();
  }
}
