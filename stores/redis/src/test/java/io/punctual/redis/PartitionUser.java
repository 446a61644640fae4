package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.Durability;
import io.punctual.IfPresent;
import io.punctual.PunctualException;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A session of the first partition of a queue. It makes a single call at a time. */
final class PartitionUser {
  /**
   * A due time in the past, because a message that is scheduled for now becomes due up to a
   * millisecond later.
   */
  static final DueTime PAST = new DueTime(false, 1000);

  private final Partition partition;
  private final String session = UUID.randomUUID().toString().replace("-", "");
  private long number;

  PartitionUser(Store store, String queue) {
    partition = await(store.partitions(queue)).get(0);
    await(partition.openSession(session, null));
  }

  Partition partition() {
    return partition;
  }

  Outcome schedule(String id, int bytes) {
    return apply(null, scheduling(id, PAST, bytes)).outcomes().get(0);
  }

  static Operation scheduling(String id, DueTime due, int bytes) {
    return new Operation.Schedule(
        id, due, IfPresent.KEEP, Content.of("x".repeat(bytes).getBytes(UTF_8)));
  }

  Reply.Applied apply(@Nullable Durability durability, Operation... operations) {
    return (Reply.Applied) call(new Call.Apply(List.of(operations), durability));
  }

  /**
   * Makes a change; returns null if it was confirmed or needs no confirmation, or else the reason
   * why it was not confirmed.
   */
  @Nullable String unconfirmed(Operation operation) {
    return unconfirmed(apply(null, operation));
  }

  static @Nullable String unconfirmed(Reply reply) {
    CompletionStage<@Nullable String> confirmation = ((Reply.Applied) reply).confirmation();
    return confirmation == null ? null : await(confirmation);
  }

  Reply.Claimed claim(int limit) {
    return (Reply.Claimed) call(new Call.Claim(limit, 60_000));
  }

  Reply call(Call.Body body) {
    number++;
    return repeat(body);
  }

  /** Makes a call with a new number, and states that it was not sent before. */
  Reply callFirst(Call.Body body) {
    number++;
    return await(partition.call(new Call(session, number, number, body, false)));
  }

  /** Makes a call with the number of the last call. */
  Reply repeat(Call.Body body) {
    return await(partition.call(new Call(session, number, number, body)));
  }

  /** Makes a call. After a failure, sends it again with the same number, up to nine times. */
  Reply callUntilAnswered(Call.Body body) {
    number++;
    for (int attempt = 1; ; attempt++) {
      try {
        return repeat(body);
      } catch (PunctualException e) {
        if (attempt == 10) {
          throw e;
        }
      }
    }
  }

  /** Makes a call whose number is too high by one, as if the server had lost the call before. */
  Reply callTooHigh(Call.Body body) {
    return await(partition.call(new Call(session, number + 2, number + 1, body, true)));
  }

  /** Makes a repeated call in a session that the server does not know. */
  Reply callInUnknownSession(Call.Body body) {
    return await(partition.call(new Call("unknown", 1, 1, body, true)));
  }

  /** Gives the number of the last call, which did not run, to the next call. */
  void forgetLast() {
    number--;
  }

  static <T extends @Nullable Object> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
