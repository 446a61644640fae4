package io.punctual.benchmarks;

import io.punctual.IfPresent;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The calls of a session with the first partition of a queue, to measure a store without the
 * client. For a single thread.
 */
public final class PartitionCalls {
  private static final int IN_FLIGHT = 16;
  private static final long LEASE_MILLIS = 60_000;

  private final Partition partition;
  private final String session = UUID.randomUUID().toString().replace("-", "");
  private long number;

  private PartitionCalls(Partition partition) {
    this.partition = partition;
  }

  /** Opens a session. */
  public static PartitionCalls open(Store store, String queue) {
    PartitionCalls calls = new PartitionCalls(await(store.partitions(queue)).get(0));
    await(calls.partition.openSession(calls.session, null));
    return calls;
  }

  /** The partition. */
  public Partition partition() {
    return partition;
  }

  /**
   * Sends a call without waiting for its reply. The store may then forget the replies to earlier
   * calls, except the last {@value #IN_FLIGHT}.
   */
  public CompletableFuture<Reply> send(Call.Body body) {
    number++;
    return partition
        .call(new Call(session, number, Math.max(1, number - IN_FLIGHT), body))
        .toCompletableFuture();
  }

  /** Sends operations without waiting. */
  public CompletableFuture<Reply> send(List<Operation> operations) {
    return send(new Call.Apply(operations, null));
  }

  /** Sends operations and waits for the reply. */
  public Reply.Applied apply(List<Operation> operations) {
    return (Reply.Applied) await(send(operations));
  }

  /** Sends a claim without waiting. */
  public CompletableFuture<Reply> sendClaim(int limit) {
    return send(new Call.Claim(limit, LEASE_MILLIS));
  }

  /** Claims and waits for the reply. */
  public Reply.Claimed claim(int limit) {
    return (Reply.Claimed) await(sendClaim(limit));
  }

  /** Returns the acks of a claim's messages. */
  public static List<Operation> acks(Reply.Claimed claimed) {
    return claimed.messages().stream()
        .<Operation>map(message -> new Operation.Ack(message.id(), claimed.token()))
        .toList();
  }

  /** Returns a schedule that keeps an existing message with the same id. */
  public static Operation.Schedule schedule(String id, DueTime due, byte[] payload) {
    return new Operation.Schedule(id, due, IfPresent.KEEP, Content.of(payload));
  }

  /** Waits for a stage. */
  public static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
