package io.punctual.kit.simulation;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.kit.simulation.Engine.PartitionId;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.LimitUse;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.ShareLedger;
import io.punctual.spi.WakeUp;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A process's view of a partition through its simulated network. Not thread-safe. */
final class SimulatedPartition implements Partition {
  private final PartitionId id;
  private final RunParameters parameters;
  private final Engine engine;
  private final Transport transport;
  private final ProtocolJudge judge;

  SimulatedPartition(
      PartitionId id,
      RunParameters parameters,
      Engine engine,
      Transport transport,
      ProtocolJudge judge) {
    this.id = id;
    this.parameters = parameters;
    this.engine = engine;
    this.transport = transport;
    this.judge = judge;
  }

  PartitionId id() {
    return id;
  }

  @Override
  public String queue() {
    return id.queue();
  }

  @Override
  public int index() {
    return id.index();
  }

  @Override
  public boolean prefersBatching() {
    return parameters.prefersBatching();
  }

  @Override
  public CompletionStage<Reply> call(Call call) {
    judge.sent(id, call);
    return transport
        .request(() -> carryOut(call))
        .whenComplete((reply, failure) -> judge.arrived(id, call, reply))
        .thenApply(this::confirmedLater);
  }

  private Reply confirmedLater(Reply reply) {
    return parameters.confirming() && reply instanceof Reply.Applied applied
        ? new Reply.Applied(
            applied.outcomes(), applied.engineMicros(), transport.slowConfirmation())
        : reply;
  }

  private CompletionStage<Reply> carryOut(Call call) {
    return engine
        .call(id, call)
        .whenComplete(
            (reply, failure) -> {
              if (reply instanceof Reply.Applied || reply instanceof Reply.Claimed) {
                transport.mayArriveAgain(() -> answerAgain(call));
              }
            });
  }

  /**
   * Calls the engine once more. The answer is discarded, because the client has sent the call only
   * once.
   */
  private void answerAgain(Call call) {
    CompletionStage<Reply> unused = engine.call(id, call);
  }

  @Override
  public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
    return transport.request(() -> engine.openSession(id, session, replaces));
  }

  @Override
  public CompletionStage<@Nullable Void> closeSession(String session) {
    return transport.request(() -> engine.closeSession(id, session));
  }

  @Override
  public CompletionStage<Optional<Entry>> find(String message) {
    return transport.request(() -> engine.partition(id).find(message));
  }

  @Override
  public CompletionStage<EntryPage> browse(EntryQuery query, @Nullable String cursor, int limit) {
    return transport.request(() -> engine.partition(id).browse(query, cursor, limit));
  }

  @Override
  public String cursorAfter(EntryQuery query, Entry entry) {
    return engine.partition(id).cursorAfter(query, entry);
  }

  @Override
  public CompletionStage<PartitionCounts> counts() {
    return transport.request(() -> engine.partition(id).counts());
  }

  @Override
  public CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets) {
    return transport.request(() -> engine.partition(id).forecast(fromMillis, widthMillis, buckets));
  }

  @Override
  public CompletionStage<@Nullable Void> pause(boolean paused, PauseNote note) {
    return transport.request(() -> engine.pause(id, paused, note));
  }

  @Override
  public CompletionStage<@Nullable Void> limits(QueueLimits limits) {
    return transport.request(() -> engine.change(id, partition -> partition.limits(limits)));
  }

  @Override
  public CompletionStage<Optional<LimitUse>> limitUse() {
    return transport.request(() -> engine.partition(id).limitUse());
  }

  @Override
  public CompletionStage<Optional<LimitUse>> moveShares(ShareLedger expected, ShareLedger next) {
    return transport.request(
        () -> {
          transport.mayArriveAgain(() -> moveAgain(expected, next));
          return engine.change(id, partition -> partition.moveShares(expected, next));
        });
  }

  private void moveAgain(ShareLedger expected, ShareLedger next) {
    CompletionStage<?> unused =
        engine.change(id, partition -> partition.moveShares(expected, next));
  }

  @Override
  public CompletionStage<Long> purge(Set<State> states) {
    return transport.request(() -> engine.change(id, partition -> partition.purge(states)));
  }

  @Override
  public Registration onWakeUp(WakeUp listener) {
    return engine.onWakeUp(id, until -> transport.hint(() -> listener.wakeUp(until)));
  }
}
