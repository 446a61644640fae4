package io.punctual.jdbc;

import io.punctual.IfPresent;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A session that sends calls to the partition of a queue. For a single thread. */
final class TestCalls {
  static final DueTime PAST = new DueTime(false, 0);
  private static final int MOST_TRIES = 10;

  final Partition partition;
  private final String session = UUID.randomUUID().toString().replace("-", "");
  private long number;

  TestCalls(JdbcStore store, String queue) throws Exception {
    partition = await(store.partitions(queue)).get(0);
    await(partition.openSession(session, null));
  }

  static <T> T await(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  static Operation.Schedule dueAt(String id, DueTime due) {
    return new Operation.Schedule(id, due, IfPresent.KEEP, Content.of(new byte[] {1}));
  }

  Outcome schedule(String id) throws Exception {
    return apply(dueAt(id, PAST));
  }

  Outcome apply(Operation operation) throws Exception {
    return ((Reply.Applied) call(new Call.Apply(List.of(operation), null))).outcomes().get(0);
  }

  Reply.Claimed claim(int limit) throws Exception {
    return (Reply.Claimed) call(new Call.Claim(limit, 60_000));
  }

  /** Sends a call, and repeats it after a failure which proves that the call had no effect. */
  Reply call(Call.Body body) throws Exception {
    CompletionStage<Reply> reply = begin(body);
    for (int tries = 1; ; tries++) {
      try {
        return await(reply);
      } catch (ExecutionException e) {
        if (tries == MOST_TRIES || !(e.getCause() instanceof Partition.NotSentException)) {
          throw e;
        }
        reply = repeat(body);
      }
    }
  }

  /** Sends a call with the next number. */
  CompletableFuture<Reply> begin(Call.Body body) {
    number++;
    return send(body, false);
  }

  /** Repeats a call: sends it with the number of the last call. */
  CompletableFuture<Reply> repeat(Call.Body body) {
    return send(body, true);
  }

  private CompletableFuture<Reply> send(Call.Body body, boolean repeated) {
    return partition.call(new Call(session, number, number, body, repeated)).toCompletableFuture();
  }
}
