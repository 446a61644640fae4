package io.punctual.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.IfPresent;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** A session with a partition. Most methods wait for the reply. For one thread at a time. */
final class Session {
  static final DueTime PAST = new DueTime(false, 0);
  static final DueTime FAR = new DueTime(false, 4_000_000_000_000L);

  private static final int UNDER_WAY = 16;

  private final Partition partition;
  private final String id = Long.toString(System.nanoTime(), 36);
  private long last;

  Session(Partition partition) {
    this.partition = partition;
    await(partition.openSession(id, null).toCompletableFuture());
  }

  static Session of(Store store, String queue) {
    return new Session(await(store.partitions(queue).toCompletableFuture()).get(0));
  }

  Partition partition() {
    return partition;
  }

  CompletableFuture<Reply> send(Call.Body body) {
    return partition
        .call(new Call(id, last + 1, last + 1, body))
        .toCompletableFuture()
        .whenComplete(
            (reply, failure) -> {
              if (failure == null) {
                last++;
              }
            });
  }

  /**
   * Sends a call without waiting for the previous calls, of which up to {@value #UNDER_WAY} may be
   * in flight. No call may fail, because the number of a failed call is not used again.
   */
  CompletableFuture<Reply> sendNext(Call.Body body) {
    last++;
    return partition
        .call(new Call(id, last, Math.max(1, last - UNDER_WAY), body))
        .toCompletableFuture();
  }

  List<Outcome> apply(Operation... operations) {
    return ((Reply.Applied) await(send(new Call.Apply(List.of(operations), null)))).outcomes();
  }

  Outcome schedule(String id, DueTime due) {
    return apply(scheduling(id, due)).get(0);
  }

  static Operation.Schedule scheduling(String id, DueTime due) {
    return new Operation.Schedule(
        id, due, IfPresent.REPLACE, Content.of(("payload of " + id).getBytes(UTF_8)));
  }

  Reply.Claimed claim(int limit) {
    return (Reply.Claimed) await(send(new Call.Claim(limit, 3_600_000)));
  }

  List<String> claimIds() {
    return claim(1000).messages().stream().map(Reply.Leased::id).toList();
  }

  static <T> T await(CompletableFuture<T> future) {
    try {
      return future.orTimeout(60, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
