package io.punctual.benchmarks.redis;

import io.punctual.benchmarks.PartitionCalls;
import io.punctual.benchmarks.RedisServer;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.TrialOutcome;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.redis.RedisStore;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;

/**
 * The cost of a message for the server, in memory and in time. Measures either the scripts that the
 * store runs, or the same commands outside of scripts, in the same order and with arguments of
 * about the same size. The time is the server's own time from {@code INFO commandstats}, as the
 * median of several rounds. Requests are sent without waiting for replies, so that the server
 * hardly sleeps in between.
 *
 * <p>The server's time excludes the reading of a command and the writing of its reply. A script
 * passes each of its commands and replies through Lua, and the time for this is included.
 *
 * <p>For a single thread.
 */
final class MessageCosts implements AutoCloseable {
  private static final long HOUR_MILLIS = 3_600_000;
  private static final int FILL_BATCH = 1000;

  private final RedisProcess redis = RedisServer.start();
  private final RedisStore store = RedisStore.builder().url(redis.url()).open();
  private final CommandStats stats = new CommandStats(List.of(redis));
  private final PartitionCalls calls = PartitionCalls.open(store, BareCommands.QUEUE);
  private final Random random = new Random(1);
  private final List<Sample> samples = new ArrayList<>();
  private final int rounds;
  private final long nowMillis;
  private long ids;

  private MessageCosts(int rounds) {
    this.rounds = rounds;
    nowMillis = calls.apply(List.of()).engineMicros() / 1000;
  }

  /** Measures the scripts while {@code pending} messages are pending. */
  static TrialOutcome ofScripts(long pending, int rounds) {
    try (MessageCosts costs = new MessageCosts(rounds)) {
      double before = RedisServer.usedMemory(costs.redis);
      costs.fill(pending);
      double bytes = (RedisServer.usedMemory(costs.redis) - before) / pending;
      costs.samples.add(Sample.cost("memory of a message", "bytes", bytes));
      costs.measureAll(costs.new Scripts());
      return new TrialOutcome(costs.samples, null, null);
    }
  }

  /** Measures the bare commands while {@code pending} messages are pending. */
  static TrialOutcome ofBareCommands(long pending, int rounds) {
    try (MessageCosts costs = new MessageCosts(rounds);
        BareCommands commands =
            new BareCommands(costs.redis.url(), costs.nowMillis, costs::nextId)) {
      costs.fill(pending);
      costs.measureAll(commands);
      return new TrialOutcome(costs.samples, null, null);
    }
  }

  /**
   * The measured work: {@code count} calls with {@code batch} messages each, sent without waiting.
   */
  interface Work {
    /** Whether the time of a command counts. */
    boolean isMeasured(String command);

    void schedule(int batch, int count);

    /**
     * Returns the calls that claim and ack: {@code count} claims, each of {@code batch} messages.
     * Reads the messages' ids in advance if the calls need them.
     */
    Runnable claimsAndAcks(int batch, int count);
  }

  private void fill(long pending) {
    while (ids < pending) {
      schedule(FILL_BATCH, HOUR_MILLIS);
    }
  }

  private void measureAll(Work work) {
    for (int batch : new int[] {1, 10, 100, 500}) {
      int count = Math.max(2, 300 / batch);
      double messages = (double) count * batch;
      measure(
          String.format(Locale.ROOT, "schedule, %d a call", batch),
          () -> micros(work, () -> work.schedule(batch, count)) / messages);
      measure(
          String.format(Locale.ROOT, "claim and ack, %d a call", batch),
          () -> {
            schedule(count * batch, -HOUR_MILLIS);
            return micros(work, work.claimsAndAcks(batch, count)) / messages;
          });
    }
  }

  private void measure(String metric, DoubleSupplier round) {
    double[] micros = DoubleStream.generate(round).limit(rounds).sorted().toArray();
    samples.add(Sample.cost(metric, "µs", micros[rounds / 2]));
  }

  private double micros(Work work, Runnable calls) {
    stats.reset();
    calls.run();
    return stats.micros(work::isMeasured);
  }

  private void schedule(int count, long inMillis) {
    for (int done = 0; done < count; done += FILL_BATCH) {
      var unused = calls.apply(schedules(Math.min(count - done, FILL_BATCH), inMillis));
    }
  }

  private List<Operation> schedules(int count, long inMillis) {
    List<Operation> operations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long due = nowMillis + inMillis + random.nextInt((int) HOUR_MILLIS / 2);
      operations.add(PartitionCalls.schedule(nextId(), new DueTime(false, due), new byte[100]));
    }
    return operations;
  }

  private String nextId() {
    return String.format(Locale.ROOT, "%014x", (++ids * 0x9E3779B97F4A7C15L) >>> 8);
  }

  /** The scripts of the store. */
  private final class Scripts implements Work {
    @Override
    public boolean isMeasured(String command) {
      return command.equals("evalsha");
    }

    @Override
    public void schedule(int batch, int count) {
      List<CompletionStage<Reply>> sent = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        sent.add(calls.send(schedules(batch, HOUR_MILLIS)));
      }
      sent.forEach(PartitionCalls::await);
    }

    @Override
    public Runnable claimsAndAcks(int batch, int count) {
      return () -> claimAndAck(batch, count);
    }

    private void claimAndAck(int batch, int count) {
      List<CompletableFuture<Reply>> claims = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        claims.add(calls.sendClaim(batch));
      }
      List<CompletableFuture<Reply>> acks = new ArrayList<>();
      for (CompletableFuture<Reply> claim : claims) {
        List<Operation> operations = PartitionCalls.acks((Reply.Claimed) claim.join());
        if (operations.size() != batch) {
          throw new IllegalStateException("claimed " + operations.size() + " of " + batch);
        }
        acks.add(calls.send(operations));
      }
      acks.forEach(CompletableFuture::join);
    }
  }

  @Override
  public void close() {
    store.close();
    redis.close();
  }
}
