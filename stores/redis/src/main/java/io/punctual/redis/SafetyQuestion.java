package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.request.Failures;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The safety check, which finds due messages whose wake-up hint was lost. It asks partitions when
 * their next message can be claimed: on a single server one script asks up to 100 partitions; in a
 * Cluster and behind a proxy one script asks one partition. A failed script does not affect the
 * other partitions. For a single use.
 */
final class SafetyQuestion {
  static final int PARTITIONS_A_SCRIPT = 100;

  private final Deployment deployment;
  private final List<Partition> partitions;
  private final SafetyLog log;
  private final long[] untils;
  private final AtomicInteger failedPartitions = new AtomicInteger();
  private final AtomicInteger unanswered = new AtomicInteger();

  SafetyQuestion(Deployment deployment, List<Partition> partitions, SafetyLog log) {
    this.deployment = deployment;
    this.partitions = partitions;
    this.log = log;
    this.untils = new long[partitions.size()];
    Arrays.fill(untils, Reply.NONE);
  }

  CompletableFuture<long[]> ask() {
    int step = deployment.isOneServer() ? PARTITIONS_A_SCRIPT : 1;
    List<CompletableFuture<?>> questions = new ArrayList<>();
    for (int from = 0; from < partitions.size(); from += step) {
      questions.add(ask(from, Math.min(partitions.size(), from + step)));
    }
    return CompletableFuture.allOf(questions.toArray(CompletableFuture[]::new))
        .handle((all, failure) -> failure)
        .whenComplete((failure, unused) -> report(failure, questions.size()))
        .thenCompose(
            failure ->
                failure != null && unanswered.get() == questions.size()
                    ? CompletableFuture.failedFuture(failure)
                    : CompletableFuture.completedFuture(untils));
  }

  private void report(@Nullable Throwable failure, int questions) {
    if (failure == null) {
      log.allAnswered();
    } else if (unanswered.get() < questions) {
      log.someFailed(failedPartitions.get(), partitions.size(), Failures.unwrap(failure));
    }
  }

  private CompletableFuture<?> ask(int from, int to) {
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> argv = new ArrayList<>();
    argv.add(partition(from).waiter().name().getBytes(US_ASCII));
    for (int i = from; i < to; i++) {
      RedisPartition partition = partition(i);
      keys.addAll(partition.keys().untilNext());
      argv.addAll(partition.argv((partition.waiter().waits() ? "w" : "-").getBytes(US_ASCII)));
    }
    return deployment
        .run(PartitionScripts.UNTIL_NEXT, keys, argv)
        .exceptionallyCompose(SpiFailures::failed)
        .thenAccept(answer -> read(answer, from, to))
        .whenComplete(
            (unused, failure) -> {
              if (failure != null) {
                unanswered.incrementAndGet();
                failedPartitions.addAndGet(to - from);
              }
            });
  }

  private static long[] times(ReplyReader values, int count) {
    long engineMicros = values.nextLong();
    long[] times = new long[count];
    for (int i = 0; i < count; i++) {
      times[i] = ReplyReader.until(values.nextTime(), engineMicros);
    }
    return times;
  }

  private void read(RedisReply answer, int from, int to) {
    long[] read = ReplyReader.read(answer, values -> times(values, to - from));
    for (int i = from; i < to; i++) {
      untils[i] = read[i - from];
    }
  }

  private RedisPartition partition(int index) {
    return (RedisPartition) partitions.get(index);
  }
}
