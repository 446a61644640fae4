package io.punctual.redis;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.harness.redis.RedisCluster;
import io.punctual.harness.redis.RedisProcess;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The cost of waiting for the server, and the lateness of messages meanwhile; workers are processes
 * of their own.
 *
 * <ul>
 *   <li>{@code fleet [workers seconds concurrency]}: many idle workers on a queue with ten messages
 *       a second: scripts a message, and lateness, also when the worker that got the last message
 *       is killed.
 *   <li>{@code fanout [clients...]}: server time of a schedule with its hint, while so many clients
 *       wait.
 *   <li>{@code idle [queues processes seconds]}: queues without traffic: commands a second.
 *   <li>{@code herd [messages]}: all due in the same millisecond: how long until they are settled,
 *       the longest script, and how late messages of another queue are.
 *   <li>{@code cluster [messages concurrency rate]}: processor time of the servers a message, of
 *       one server and of three primaries; all due at once, or so many a second.
 * </ul>
 *
 * <p>{@code -Dpunctual.redis.program=/usr/bin/redis-server} measures an installed server instead of
 * the embedded one, whose scripts take half as long again.
 */
final class WaitingBenchmark {
  private static final Pattern STAT = Pattern.compile("cmdstat_(\\S+?):calls=(\\d+)");
  private static final Pattern CPU = Pattern.compile("used_cpu_(?:user|sys):([\\d.]+)");

  /** The number of bursts of due messages, enough for every worker to warm up. */
  private static final int BURSTS = 10;

  private WaitingBenchmark() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "fleet" -> fleet(number(args, 1, 20), number(args, 2, 20), number(args, 3, 16));
      case "fanout" -> fanout(args);
      case "idle" -> idle(number(args, 1, 100), number(args, 2, 5), number(args, 3, 20));
      case "herd" -> herd(number(args, 1, 200_000));
      case "cluster" -> cluster(number(args, 1, 100_000), number(args, 2, 64), number(args, 3, 0));
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static int number(String[] args, int at, int otherwise) {
    return args.length > at ? Integer.parseInt(args[at]) : otherwise;
  }

  private static void fleet(int count, int seconds, int concurrency) throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        WaitingWorkers workers = new WaitingWorkers();
        Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = punctual.queue("fleet", Codec.string());
      workers.start(count, redis.url(), concurrency, "fleet");
      for (int burst = 0; burst < BURSTS; burst++) {
        schedule(queue, count * 50, Instant.now().plusMillis(500));
        workers.awaitLatenesses(count * 50);
        workers.forgetLatenesses();
      }
      redis.ask("CONFIG", "RESETSTAT");
      int messages = seconds * 10;
      trickle(queue, messages);
      workers.awaitLatenesses(messages);
      double scripts = calls(redis, "evalsha") + calls(redis, "eval");
      double checks = calls(redis, "hget");
      long[] latenesses = workers.takeLatenesses();
      System.out.printf(
          "%d workers, %d messages: %.2f scripts a message (and %.2f safety checks); %s%n",
          count, messages, (scripts - checks) / messages, checks / messages, late(latenesses));
      System.out.println("  messages of each worker: " + workers.takeShares());
      long[] worst = new long[5];
      for (int i = 0; i < worst.length; i++) {
        workers.killLast();
        trickle(queue, 10);
        workers.awaitLatenesses(10);
        latenesses = workers.takeLatenesses();
        worst[i] = latenesses[latenesses.length - 1] / 1000;
      }
      System.out.printf(
          "the one that got the last message is killed: ms of the latest after it %s%n",
          Arrays.toString(worst));
    }
  }

  private static void fanout(String[] args) throws Exception {
    for (int i = 1; i < args.length; i++) {
      ClientResources threads = DefaultClientResources.create();
      List<RedisStore> stores = new ArrayList<>();
      try (RedisProcess redis =
          RedisProcess.builder().config("latency-tracking-info-percentiles", "50 99").start()) {
        PartitionUser producer = null;
        for (int client = 0; client <= Integer.parseInt(args[i]); client++) {
          RedisStore store = RedisStore.builder().url(redis.url()).resources(threads).open();
          stores.add(store);
          producer = new PartitionUser(store, "fanout");
          if (client > 0) {
            CountDownLatch begun = new CountDownLatch(1);
            producer.partition().onWakeUp(until -> begun.countDown());
            begun.await();
            producer.claim(10);
          }
        }
        fanout(redis, Objects.requireNonNull(producer), stores.size() - 1);
      } finally {
        stores.forEach(RedisStore::close);
        threads.shutdown();
      }
    }
  }

  private static void fanout(RedisProcess redis, PartitionUser producer, int clients) {
    for (int round = 0; round < 2; round++) {
      redis.ask("CONFIG", "RESETSTAT");
      for (int i = 0; i < 1000; i++) {
        int sooner = 1000 * round + i;
        producer.apply(
            null,
            PartitionUser.scheduling(
                "m" + sooner, new DueTime(true, 100_000_000 - 1000 * sooner), 100));
      }
    }
    String stats = String.valueOf(redis.ask("INFO", "commandstats"));
    String latency = String.valueOf(redis.ask("INFO", "latencystats"));
    System.out.printf(
        "%d clients wait: %s us of the server for a schedule with its hint on average; percentiles"
            + " %s; published %.0f%n",
        clients,
        stats.replaceFirst("(?s).*cmdstat_evalsha:.*?usec_per_call=([\\d.]+).*", "$1"),
        latency.replaceFirst("(?s).*usec_evalsha:(\\S+).*", "$1"),
        calls(redis, "publish"));
  }

  private static void trickle(TimedQueue<String> queue, int messages) throws InterruptedException {
    for (int i = 0; i < messages; i++) {
      Duration delay = Duration.ofMillis(ThreadLocalRandom.current().nextLong(200, 800));
      CompletionStage<?> unused = queue.scheduleAsync(Message.of("payload").dueIn(delay));
      Thread.sleep(100);
    }
  }

  private static void idle(int queues, int processes, int seconds) throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        WaitingWorkers workers = new WaitingWorkers()) {
      String[] names = new String[queues];
      Arrays.setAll(names, i -> "idle-" + i);
      workers.start(processes, redis.url(), 1, names);
      Thread.sleep(3000);
      redis.ask("CONFIG", "RESETSTAT");
      Thread.sleep(seconds * 1000L);
      double commands = 0;
      for (String command : List.of("evalsha", "eval", "script|load", "subscribe", "ping")) {
        commands += calls(redis, command);
      }
      System.out.printf(
          "%d queues, %d processes, idle: %.1f top-level commands a second%n",
          queues, processes, commands / seconds);
    }
  }

  private static void herd(int messages) throws Exception {
    try (RedisProcess redis =
            RedisProcess.builder().config("slowlog-log-slower-than", "5000").start();
        WaitingWorkers herd = new WaitingWorkers();
        WaitingWorkers others = new WaitingWorkers();
        Punctual punctual = Punctual.open(redis.url())) {
      herd.quietly().start(1, redis.url(), 64, "herd");
      others.start(1, redis.url(), 16, "other");
      TimedQueue<String> other = punctual.queue("other", Codec.string());
      trickle(other, 20);
      others.awaitLatenesses(20);
      others.forgetLatenesses();
      TimedQueue<String> queue = punctual.queue("herd", Codec.string());
      warmUp(queue);
      Instant due = Instant.now().plusSeconds(Math.max(5, messages / 10_000));
      schedule(queue, messages, due);
      redis.ask("SLOWLOG", "RESET");
      redis.ask("CONFIG", "RESETSTAT");
      double serverBefore = cpuSeconds(List.of(redis));
      double workerBefore = herd.cpuSeconds();
      AtomicBoolean over = new AtomicBoolean();
      Thread trickle = new Thread(() -> trickleUntil(over, other));
      trickle.start();
      Thread.sleep(Math.max(0, Duration.between(Instant.now(), due).toMillis()));
      awaitEmpty(queue, 20);
      long took = Duration.between(due, Instant.now()).toMillis();
      over.set(true);
      trickle.join();
      Thread.sleep(500);
      System.out.printf(
          "%,d messages due at once: settled within %d ms; scripts above 5 ms: %s; other queue: %s%n",
          messages, took, redis.ask("SLOWLOG", "LEN"), late(others.takeLatenesses()));
      System.out.printf(
          "  %.0f messages a script; processor time a message: server %.1f us, worker %.1f us%n",
          2 * messages / calls(redis, "evalsha"),
          (cpuSeconds(List.of(redis)) - serverBefore) * 1e6 / messages,
          (herd.cpuSeconds() - workerBefore) * 1e6 / messages);
      System.out.println("  " + slowest(redis));
      System.out.println("  " + dearest(redis, messages));
    }
  }

  /** Returns the commands that took most time, with calls and microseconds a message. */
  private static List<String> dearest(RedisProcess redis, int messages) {
    Pattern pattern = Pattern.compile("cmdstat_(\\S+?):calls=(\\d+),usec=(\\d+)");
    return pattern
        .matcher(String.valueOf(redis.ask("INFO", "commandstats")))
        .results()
        .sorted(Comparator.comparing(stat -> -Long.parseLong(stat.group(3))))
        .limit(8)
        .map(
            stat ->
                "%s %.3f calls, %.2f us"
                    .formatted(
                        stat.group(1),
                        Double.parseDouble(stat.group(2)) / messages,
                        Double.parseDouble(stat.group(3)) / messages))
        .toList();
  }

  /** Returns the slowest scripts: microseconds and the command, without its keys. */
  private static List<String> slowest(RedisProcess redis) {
    List<String> slow = new ArrayList<>();
    Object entries = Objects.requireNonNull(redis.ask("SLOWLOG", "GET", "5"));
    for (Object entry : (List<?>) entries) {
      List<?> fields = (List<?>) entry;
      List<?> command = (List<?>) fields.get(3);
      slow.add(fields.get(2) + " us " + command.get(0) + " of " + command.size() + " arguments");
    }
    return slow;
  }

  private static void warmUp(TimedQueue<String> queue) throws InterruptedException {
    schedule(queue, 50_000, Instant.now());
    awaitEmpty(queue, 20);
  }

  private static void awaitEmpty(TimedQueue<String> queue, long pollMillis)
      throws InterruptedException {
    while (queue.counts().pending() > 0) {
      Thread.sleep(pollMillis);
    }
  }

  private static void trickleUntil(AtomicBoolean over, TimedQueue<String> other) {
    try {
      while (!over.get()) {
        CompletionStage<?> unused =
            other.scheduleAsync(Message.of("payload").dueIn(Duration.ofMillis(100)));
        Thread.sleep(20);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void schedule(TimedQueue<String> queue, int messages, Instant due) {
    schedule(queue, messages, due, Duration.ZERO);
  }

  private static void schedule(
      TimedQueue<String> queue, int messages, Instant first, Duration apart) {
    String payload = "x".repeat(100);
    for (int done = 0; done < messages; done += 1000) {
      List<Message<String>> batch = new ArrayList<>();
      for (int i = done; i < Math.min(messages, done + 1000); i++) {
        batch.add(Message.of(payload).dueAt(first.plus(apart.multipliedBy(i))));
      }
      queue.scheduleAll(batch);
    }
  }

  private static void cluster(int messages, int concurrency, int rate) throws Exception {
    Duration apart = rate == 0 ? Duration.ZERO : Duration.ofSeconds(1).dividedBy(rate);
    double single;
    try (RedisProcess redis = RedisProcess.start()) {
      System.out.print("one server: ");
      single = cpuMicros(redis.url(), List.of(redis), messages, concurrency, apart);
    }
    try (RedisProcess redis = RedisProcess.start()) {
      System.out.print("one server, 8 partitions: ");
      cpuMicros(redis.url() + "?partitions=8", List.of(redis), messages, concurrency, apart);
    }
    try (RedisCluster cluster = RedisCluster.start(1, 0)) {
      System.out.print("a Cluster of one, 8 partitions: ");
      cpuMicros(cluster.url(), cluster.nodes(), messages, concurrency, apart);
    }
    try (RedisCluster cluster = RedisCluster.start(3, 0)) {
      System.out.print("a Cluster of three, 8 partitions: ");
      double three = cpuMicros(cluster.url(), cluster.nodes(), messages, concurrency, apart);
      System.out.printf("three primaries take %.2f times as much as one server%n", three / single);
    }
  }

  /** Schedules and works off messages in rounds; prints and returns the median. */
  private static double cpuMicros(
      String url, List<RedisProcess> servers, int messages, int concurrency, Duration apart)
      throws Exception {
    double[] rounds = new double[4];
    double scripts = -scripts(servers);
    try (WaitingWorkers workers = new WaitingWorkers();
        Punctual punctual = Punctual.open(url)) {
      TimedQueue<String> queue = punctual.queue("cpu", Codec.string());
      workers.quietly().start(1, url, concurrency, "cpu");
      for (int i = 0; i < rounds.length; i++) {
        double before = cpuSeconds(servers);
        schedule(queue, messages, Instant.now().plusSeconds(3), apart);
        awaitEmpty(queue, 250);
        rounds[i] = (cpuSeconds(servers) - before) * 1e6 / messages;
      }
    }
    double[] counted = Arrays.copyOfRange(rounds, 1, rounds.length);
    Arrays.sort(counted);
    double median = counted[counted.length / 2];
    System.out.printf(
        "processor time %.2f us a message, %.1f messages a script%n",
        median, rounds.length * messages / (scripts + scripts(servers)));
    double claims = sum(servers, "zremrangebyrank");
    System.out.printf("  %.1f messages a claim%n", rounds.length * messages / claims);
    return median;
  }

  private static double scripts(List<RedisProcess> servers) {
    return sum(servers, "evalsha");
  }

  private static double sum(List<RedisProcess> servers, String command) {
    return servers.stream().mapToDouble(server -> calls(server, command)).sum();
  }

  private static double cpuSeconds(List<RedisProcess> servers) {
    double sum = 0;
    for (RedisProcess server : servers) {
      Matcher cpu = CPU.matcher(String.valueOf(server.ask("INFO", "cpu")));
      while (cpu.find()) {
        sum += Double.parseDouble(cpu.group(1));
      }
    }
    return sum;
  }

  private static double calls(RedisProcess redis, String command) {
    Matcher stat = STAT.matcher(String.valueOf(redis.ask("INFO", "commandstats")));
    while (stat.find()) {
      if (stat.group(1).equals(command)) {
        return Double.parseDouble(stat.group(2));
      }
    }
    return 0;
  }

  private static String late(long[] micros) {
    if (micros.length == 0) {
      return "none";
    }
    return "late by p50 %.1f, p99 %.1f, max %.1f ms"
        .formatted(
            micros[micros.length / 2] / 1000.0,
            micros[(int) (micros.length * 0.99)] / 1000.0,
            micros[micros.length - 1] / 1000.0);
  }
}
