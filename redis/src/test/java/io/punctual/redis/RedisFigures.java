package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.IfPresent;
import io.punctual.redis.client.Answer;
import io.punctual.redis.client.Request;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Lane;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import io.punctual.testkit.redis.RedisProcess;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a message costs the server, in memory and in time: {@code RedisFigures [pending ...]}, by
 * default 10,000 and 1,000,000. Time is the server's own, from INFO commandstats: of the scripts
 * that the store runs, and of the commands that those consist of when they are sent one by one. The
 * median of several rounds.
 */
final class RedisFigures {
  private static final int ROUNDS = 15;
  private static final long HOUR = 3_600_000;
  private static final Pattern USED = Pattern.compile("used_memory:(\\d+)");
  private static final Pattern STAT = Pattern.compile("cmdstat_(\\S+?):calls=(\\d+),usec=(\\d+)");

  private final RedisProcess redis;
  private final RedisStore store;
  private final Lane lane;
  private final Random random = new Random(1);
  private final String session = "figures";
  private long number;
  private long ids;
  private long now;

  private RedisFigures(RedisProcess redis, RedisStore store) {
    this.redis = redis;
    this.store = store;
    this.lane = await(store.lanes("figures")).get(0);
    await(lane.openSession(session, null));
  }

  public static void main(String[] args) {
    long[] sizes =
        args.length == 0
            ? new long[] {10_000, 1_000_000}
            : Arrays.stream(args).mapToLong(Long::parseLong).toArray();
    for (long pending : sizes) {
      try (RedisProcess redis = RedisProcess.start();
          RedisStore store = RedisStore.builder().url(redis.url()).open()) {
        new RedisFigures(redis, store).measure(pending);
      }
    }
  }

  private void measure(long pending) {
    now = apply(List.of()).engineMicros() / 1000;
    long before = usedMemory();
    while (ids < pending) {
      schedule(1000, HOUR);
    }
    System.out.printf(
        "%,d pending: %.1f bytes a message%n", pending, (double) (usedMemory() - before) / pending);
    for (int batch : new int[] {1, 10, 100, 500}) {
      int calls = Math.max(2, 300 / batch);
      measure("schedule", batch, calls, n -> schedule(n, HOUR), this::bareSchedule);
      measure("claim+ack", batch, calls, this::claimAndAck, this::bareClaimAndAck);
    }
  }

  private void measure(
      String what, int batch, int calls, Consumer<Integer> scripts, Consumer<Integer> bare) {
    double[] scriptMicros = new double[ROUNDS];
    double[] bareMicros = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      if (what.equals("claim+ack")) {
        schedule(2 * calls * batch, -HOUR);
      }
      redis.ask("CONFIG", "RESETSTAT");
      for (int i = 0; i < calls; i++) {
        scripts.accept(batch);
      }
      scriptMicros[round] = micros("evalsha") / calls / batch;
      redis.ask("CONFIG", "RESETSTAT");
      for (int i = 0; i < calls; i++) {
        bare.accept(batch);
      }
      bareMicros[round] = micros("") / calls / batch;
    }
    Arrays.sort(scriptMicros);
    Arrays.sort(bareMicros);
    System.out.printf(
        "  %-14s %4d a call: %6.2f us a message (min %.2f); bare commands %6.2f (min %.2f); ratio %.2f%n",
        what,
        batch,
        scriptMicros[ROUNDS / 2],
        scriptMicros[0],
        bareMicros[ROUNDS / 2],
        bareMicros[0],
        scriptMicros[ROUNDS / 2] / bareMicros[ROUNDS / 2]);
  }

  private void schedule(int count, long inMillis) {
    for (int done = 0; done < count; done += 1000) {
      List<Operation> operations = new ArrayList<>();
      for (int i = done; i < Math.min(count, done + 1000); i++) {
        operations.add(
            new Operation.Schedule(
                nextId(),
                new DueTime(false, now + inMillis + random.nextInt((int) HOUR / 2)),
                IfPresent.KEEP,
                Content.of(new byte[100])));
      }
      apply(operations);
    }
  }

  private String nextId() {
    return "%014x".formatted((++ids * 0x9E3779B97F4A7C15L) >>> 8);
  }

  private void claimAndAck(int count) {
    Reply.Claimed claimed = claim(count);
    if (claimed.messages().size() != count) {
      throw new IllegalStateException("claimed " + claimed.messages().size());
    }
    apply(
        claimed.messages().stream()
            .<Operation>map(m -> new Operation.Ack(m.id(), claimed.token()))
            .toList());
  }

  private Reply.Claimed claim(int count) {
    return (Reply.Claimed) call(new Call.Claim(count, 30_000));
  }

  private Reply.Applied apply(List<Operation> operations) {
    return (Reply.Applied) call(new Call.Apply(operations, null));
  }

  private Reply call(Call.Body body) {
    number++;
    return await(lane.call(new Call(session, number, number, body)));
  }

  /** The commands of apply.lua when it stores messages. */
  private void bareSchedule(int count) {
    beginBare();
    List<String> names = new ArrayList<>();
    List<String> scores = new ArrayList<>(List.of(key("scheduled")));
    List<String> contents = new ArrayList<>(List.of(key("messages")));
    for (int i = 0; i < count; i++) {
      String id = nextId();
      names.add(id);
      scores.addAll(List.of(Long.toString(now + HOUR + random.nextInt((int) HOUR / 2)), id));
      contents.addAll(List.of(id, "x".repeat(102)));
    }
    send(CommandType.ZMSCORE, key("scheduled"), names);
    send(CommandType.HMGET, key("leases"), names);
    send(CommandType.ZCARD, key("dead"));
    send(CommandType.ZRANGE, key("scheduled"), "0", "0", "WITHSCORES");
    endBare();
    send(CommandType.ZADD, scores);
    await(send(CommandType.HSET, contents));
  }

  /** The commands of claim.lua, and of apply.lua when it removes what was acked. */
  private void bareClaimAndAck(int count) {
    beginBare();
    send(CommandType.ZRANGE, key("leased"), "0", "0", "WITHSCORES");
    List<String> names = bareDue(count);
    List<String> ends = new ArrayList<>(List.of(key("leased")));
    List<String> records = new ArrayList<>(List.of(key("leases")));
    for (String id : names) {
      ends.addAll(List.of(Long.toString(now + 30_000), id));
      records.addAll(List.of(id, "1700000000000000 1700000000000 1"));
    }
    send(CommandType.HLEN, key("retries"));
    send(CommandType.HMGET, key("messages"), names);
    endBare();
    send(CommandType.ZREMRANGEBYRANK, key("scheduled"), "0", Integer.toString(count - 1));
    send(CommandType.ZADD, ends);
    send(CommandType.HSET, records);
    send(CommandType.HSET, key("meta"), "token", "1700000000000000");
    send(CommandType.ZRANGE, key("scheduled"), "0", "0", "WITHSCORES");
    send(CommandType.ZRANGE, key("leased"), "0", "0", "WITHSCORES");
    beginBare();
    send(CommandType.HMGET, key("leases"), names);
    endBare();
    send(CommandType.ZREM, key("leased"), names);
    send(CommandType.HDEL, key("leases"), names);
    await(send(CommandType.HDEL, key("messages"), names));
  }

  private List<String> bareDue(int count) {
    List<String> range =
        List.of(
            key("scheduled"),
            "-inf",
            Long.toString(now),
            "BYSCORE",
            "LIMIT",
            "0",
            Integer.toString(count),
            "WITHSCORES");
    List<String> names = new ArrayList<>();
    List<?> page = await(send(CommandType.ZRANGE, range)).values();
    for (int i = 0; i < page.size(); i += 2) {
      names.add(new String((byte[]) page.get(i), UTF_8));
    }
    return names;
  }

  private void beginBare() {
    send(CommandType.HMGET, key("meta"), "format", "lanes", "paused", "token", "largest", "purge");
    send(CommandType.TIME);
    send(CommandType.HMGET, key("session:bare"), "last", "low", "seen", "1");
  }

  private void endBare() {
    send(
        CommandType.HSET,
        key("session:bare"),
        "last",
        "2",
        "low",
        "2",
        "2",
        "A1700000000000000 ssss");
  }

  private String key(String name) {
    return "{punctual:figures:0}:" + name;
  }

  private void send(CommandType type, String... arguments) {
    store.deployment().link(new byte[0]).send(Request.of(type, arguments));
  }

  private CompletionStage<Answer> send(CommandType type, String key, List<String> more) {
    List<String> all = new ArrayList<>(List.of(key));
    all.addAll(more);
    return send(type, all);
  }

  private CompletionStage<Answer> send(CommandType type, List<String> arguments) {
    return store
        .deployment()
        .link(new byte[0])
        .send(Request.of(type, arguments.toArray(String[]::new)));
  }

  private long usedMemory() {
    Matcher used = USED.matcher(String.valueOf(redis.ask("INFO", "memory")));
    return used.find() ? Long.parseLong(used.group(1)) : 0;
  }

  /** Microseconds spent on a command, or on all that are sent to measure. */
  private double micros(String command) {
    Matcher stat = STAT.matcher(String.valueOf(redis.ask("INFO", "commandstats")));
    long sum = 0;
    while (stat.find()) {
      boolean counts =
          command.isEmpty()
              ? !stat.group(1).startsWith("config")
                  && !stat.group(1).startsWith("eval")
                  && !stat.group(1).equals("info")
              : stat.group(1).equals(command);
      sum += counts ? Long.parseLong(stat.group(3)) : 0;
    }
    return sum;
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
