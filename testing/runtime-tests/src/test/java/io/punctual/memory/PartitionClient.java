package io.punctual.memory;

import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A session with a partition that returns complete stages, for tests. */
final class PartitionClient {
  static final byte[] PAYLOAD = {1, 2, 3};

  private final Partition partition;
  private final String session;
  private long number;

  PartitionClient(Partition partition, String session) {
    this.partition = partition;
    this.session = session;
    join(partition.openSession(session, null));
  }

  static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  Call next(Call.Body body) {
    number++;
    return new Call(session, number, number, body);
  }

  Reply call(Call call) {
    return join(partition.call(call));
  }

  List<Outcome> apply(Operation... operations) {
    return ((Reply.Applied) call(next(new Call.Apply(List.of(operations), null)))).outcomes();
  }

  Outcome schedule(String id, long delayMillis) {
    return schedule(id, new DueTime(true, delayMillis), IfPresent.KEEP);
  }

  Outcome schedule(String id, DueTime due, IfPresent ifPresent) {
    return apply(new Operation.Schedule(id, due, ifPresent, Content.of(PAYLOAD))).get(0);
  }

  Reply.Claimed claim(int limit) {
    return claim(limit, 30_000);
  }

  Reply.Claimed claim(int limit, long leaseMillis) {
    return (Reply.Claimed) call(next(new Call.Claim(limit, leaseMillis)));
  }

  static List<String> ids(Reply.Claimed claimed) {
    return claimed.messages().stream().map(Reply.Leased::id).toList();
  }

  /** Returns all ids in a state, read in pages of up to {@code limit} ids. */
  List<String> browse(State state, int limit) {
    List<String> ids = new ArrayList<>();
    String cursor = null;
    do {
      EntryPage page = join(partition.browse(state, cursor, limit));
      page.entries().stream().map(Entry::id).forEach(ids::add);
      cursor = page.next();
    } while (cursor != null);
    return ids;
  }
}
