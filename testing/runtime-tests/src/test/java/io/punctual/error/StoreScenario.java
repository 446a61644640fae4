package io.punctual.error;

import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the memory store, with an error at one point. The client repeats a call that has failed.
 * Returns the number of points and all that the calls have done, which the error must not change.
 */
public final class StoreScenario implements BiFunction<Object[], @Nullable Error, String> {
  private static final int MESSAGES = 80;
  private static final long LEASE_MILLIS = 10_000;

  private final ManualClock clock = new ManualClock();
  private final MemoryStore store = MemoryStore.builder().clock(clock).build();
  private final Partition partition = get(store.partitions("q")).get(0);
  private final List<String> done = new ArrayList<>();
  private long number;

  @Override
  public String apply(Object[] run, @Nullable Error error) {
    Injection.at((Long) run[1], error);
    long points;
    try {
      repeated(() -> get(partition.openSession("s", null)));
      act();
    } catch (RuntimeException | Error e) {
      return "0 " + e;
    } finally {
      points = Injection.end();
    }
    for (int i = 0; i < MESSAGES; i++) {
      done.add(get(partition.find("m" + i)).map(StoreScenario::text).orElse("none"));
    }
    clock.advance(Duration.ofHours(2));
    done.add("left " + claim(MESSAGES, true).keySet());
    done.add("counts " + get(partition.counts()));
    clock.advance(Duration.ofHours(2));
    done.add("end " + get(store.delete("q")));
    return points + " " + String.join("\n", done);
  }

  private void act() {
    for (int from = 0; from < MESSAGES; from += 20) {
      long seconds = from;
      apply(from, from + 20, i -> schedule("m" + i, clock.millis() + (seconds + i) * 100));
    }
    apply(70, 75, i -> new Operation.Cancel("m" + i));
    apply(70, 75, i -> schedule("m" + i, clock.millis() - i));
    apply(60, 70, i -> new Operation.Reschedule("m" + i, DueTime.of(Due.now())));
    apply(55, 60, i -> new Operation.RunNow("m" + i));
    clock.advance(Duration.ofSeconds(20));
    Map<String, Long> claimed = claim(40, false);
    List<String> ids = new ArrayList<>(claimed.keySet());
    apply(0, 5, i -> new Operation.Ack(ids.get(i), token(claimed, ids, i), 3_600_000));
    apply(5, 10, i -> new Operation.Ack(ids.get(i), token(claimed, ids, i), 0));
    apply(10, 15, i -> new Operation.Retry(ids.get(i), token(claimed, ids, i), soon(), bytes(9)));
    apply(15, 22, i -> new Operation.Bury(ids.get(i), token(claimed, ids, i), bytes(7)));
    apply(22, 25, i -> new Operation.Release(ids.get(i), token(claimed, ids, i), null));
    apply(25, 27, i -> new Operation.Repeat(ids.get(i), token(claimed, ids, i), soon(), content()));
    apply(27, 30, i -> new Operation.Extend(ids.get(i), token(claimed, ids, i), 60_000));
    apply(28, 29, i -> new Operation.Cancel(ids.get(i)));
    apply(15, 18, i -> new Operation.Redrive(ids.get(i), i == 15 ? content() : null));
    apply(18, 19, i -> new Operation.DeleteDead(ids.get(i)));
    apply(0, 20, i -> new Operation.Remember("r" + i, clock.millis() + 3_600_000));
    apply(
        5,
        10,
        i ->
            new Operation.Restore(
                ids.get(i), clock.millis(), 1, bytes(3), i == 5 ? 1 : 0, content()));
    done.add("taken " + claim(10, true).keySet());
    clock.advance(Duration.ofSeconds(30));
    done.add("claimed again " + claim(30, false).keySet());
  }

  private void apply(int from, int to, IntFunction<Operation> operations) {
    List<Operation> all = IntStream.range(from, to).mapToObj(operations).toList();
    done.add(call(new Call.Apply(all, null)).toString());
  }

  /** Claims until there are so many messages, because an error can end a claim early. */
  private Map<String, Long> claim(int limit, boolean atMostOnce) {
    Map<String, Long> tokens = new TreeMap<>();
    Reply.Claimed reply;
    do {
      reply = (Reply.Claimed) call(new Call.Claim(limit - tokens.size(), LEASE_MILLIS, atMostOnce));
      for (Reply.Leased each : reply.messages()) {
        String claimed = each.id() + (atMostOnce ? ", attempt " + each.attempt() : "");
        if (tokens.put(claimed, reply.token()) != null) {
          done.add("twice: " + claimed);
        }
      }
    } while ((!reply.messages().isEmpty() || reply.untilNextMicros() == 0)
        && tokens.size() < limit);
    return tokens;
  }

  private Reply call(Call.Body body) {
    number++;
    boolean[] again = {false};
    return repeated(
        () -> {
          boolean repeats = again[0];
          again[0] = true;
          return get(partition.call(new Call("s", number, number, body, repeats)));
        });
  }

  private static <T> T repeated(Supplier<T> call) {
    try {
      return call.get();
    } catch (OutOfMemoryError e) {
      return call.get();
    }
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static long token(Map<String, Long> claimed, List<String> ids, int index) {
    return claimed.get(ids.get(index));
  }

  private Operation schedule(String id, long dueMillis) {
    return new Operation.Schedule(
        id, DueTime.of(Due.at(Instant.ofEpochMilli(dueMillis))), IfPresent.REPLACE, content());
  }

  private static DueTime soon() {
    return new DueTime(true, 5_000);
  }

  private static Content content() {
    return Content.of(bytes(5));
  }

  private static byte[] bytes(int length) {
    return new byte[length];
  }

  private static String text(Entry entry) {
    return "%s %s due %d, attempts %d, history %d, lease %d, cancelled %s, died %d"
        .formatted(
            entry.id(),
            entry.state(),
            entry.dueMillis(),
            entry.attempts(),
            entry.history().length,
            entry.leasedUntilMillis(),
            entry.cancelled(),
            entry.diedAtMillis());
  }
}
