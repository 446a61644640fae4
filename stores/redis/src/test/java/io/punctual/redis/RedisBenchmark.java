package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.IfPresent;
import io.punctual.harness.redis.RedisProcess;
import io.punctual.redis.client.RedisReply;
import io.punctual.redis.client.Request;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The cost of a message for the server, in memory and in time: {@code RedisBenchmark [pending
 * ...]}, by default 10,000 and 1,000,000. Time is the server's own, from INFO commandstats, the
 * median of several rounds. Each round measures the scripts that the store runs, and the same
 * commands outside of scripts, in the same order and with the same arguments. The bare commands get
 * the ids of due messages in advance, which a client would have to find out first. Requests are
 * sent without waiting for answers, so that the server never has to wake up.
 *
 * <p>The server's time excludes the reading of a command and the writing of its answer. A script
 * does both for each of its commands, through Lua, and that is counted.
 */
final class RedisBenchmark {
  private static final int ROUNDS = 15;
  private static final long HOUR = 3_600_000;
  private static final Pattern USED = Pattern.compile("used_memory:(\\d+)");
  private static final Pattern STAT = Pattern.compile("cmdstat_(\\S+?):calls=(\\d+),usec=(\\d+)");

  private final RedisProcess redis;
  private final RedisStore store;
  private final Partition partition;
  private final Random random = new Random(1);
  private final String session = "figures";
  private long number;
  private long ids;
  private long now;

  private RedisBenchmark(RedisProcess redis, RedisStore store) {
    this.redis = redis;
    this.store = store;
    this.partition = await(store.partitions("figures")).get(0);
    await(partition.openSession(session, null));
  }

  public static void main(String[] args) {
    long[] sizes =
        args.length == 0
            ? new long[] {10_000, 1_000_000}
            : Arrays.stream(args).mapToLong(Long::parseLong).toArray();
    for (long pending : sizes) {
      try (RedisProcess redis = RedisProcess.start();
          RedisStore store = RedisStore.builder().url(redis.url()).open()) {
        new RedisBenchmark(redis, store).measure(pending);
      }
    }
  }

  private void measure(long pending) {
    now = ((Reply.Applied) await(send(new Call.Apply(List.of(), null)))).engineMicros() / 1000;
    long before = usedMemory();
    while (ids < pending) {
      schedule(1000, HOUR);
    }
    System.out.printf(
        "%,d pending: %.1f bytes a message%n", pending, (double) (usedMemory() - before) / pending);
    for (int batch : new int[] {1, 10, 100, 500}) {
      int calls = Math.max(2, 300 / batch);
      measure("schedule", batch, calls, this::scheduleCalls, this::bareSchedules);
      measure("claim+ack", batch, calls, this::claimAndAck, this::bareClaimsAndAcks);
    }
  }

  private void measure(String what, int batch, int calls, Calls scripts, Bare bare) {
    double[] scriptMicros = new double[ROUNDS];
    double[] bareMicros = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      if (what.equals("claim+ack")) {
        schedule(2 * calls * batch, -HOUR);
      }
      redis.ask("CONFIG", "RESETSTAT");
      scripts.make(batch, calls);
      scriptMicros[round] = micros("evalsha") / calls / batch;
      bareMicros[round] = bare.micros(batch, calls) / calls / batch;
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
      await(send(schedules(Math.min(count - done, 1000), inMillis)));
    }
  }

  private void scheduleCalls(int batch, int calls) {
    List<CompletionStage<Reply>> asked = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      asked.add(send(schedules(batch, HOUR)));
    }
    asked.forEach(RedisBenchmark::await);
  }

  private Call.Apply schedules(int count, long inMillis) {
    List<Operation> operations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      operations.add(
          new Operation.Schedule(
              nextId(),
              new DueTime(false, now + inMillis + random.nextInt((int) HOUR / 2)),
              IfPresent.KEEP,
              Content.of(new byte[100])));
    }
    return new Call.Apply(operations, null);
  }

  private String nextId() {
    return "%014x".formatted((++ids * 0x9E3779B97F4A7C15L) >>> 8);
  }

  private void claimAndAck(int batch, int calls) {
    List<CompletionStage<Reply>> claims = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      claims.add(send(new Call.Claim(batch, 30_000)));
    }
    List<CompletionStage<Reply>> acks = new ArrayList<>();
    for (CompletionStage<Reply> claim : claims) {
      Reply.Claimed claimed = (Reply.Claimed) await(claim);
      if (claimed.messages().size() != batch) {
        throw new IllegalStateException("claimed " + claimed.messages().size());
      }
      acks.add(
          send(
              new Call.Apply(
                  claimed.messages().stream()
                      .<Operation>map(m -> new Operation.Ack(m.id(), claimed.token()))
                      .toList(),
                  null)));
    }
    acks.forEach(RedisBenchmark::await);
  }

  /** Sends a call of a client that leaves up to four unanswered. */
  private CompletionStage<Reply> send(Call.Body body) {
    number++;
    return partition.call(new Call(session, number, Math.max(1, number - 3), body));
  }

  /** Many calls of a script, sent without waiting. */
  private interface Calls {
    void make(int batch, int calls);
  }

  /** The same work as bare commands. */
  private interface Bare {
    /** Returns how long the server took. */
    double micros(int batch, int calls);
  }

  private double bareSchedules(int batch, int calls) {
    redis.ask("CONFIG", "RESETSTAT");
    for (int i = 0; i < calls; i++) {
      bareSchedule(batch, i);
    }
    return bareMicros();
  }

  private void bareSchedule(int batch, int call) {
    List<String> names = new ArrayList<>();
    List<String> scores = new ArrayList<>(List.of(key("scheduled")));
    List<String> contents = new ArrayList<>(List.of(key("messages")));
    for (int i = 0; i < batch; i++) {
      String id = nextId();
      names.add(id);
      scores.addAll(List.of(Long.toString(now + HOUR + random.nextInt((int) HOUR / 2)), id));
      contents.addAll(List.of(id, "x".repeat(102)));
    }
    begin(call);
    ask(CommandType.HMGET, key("messages"), names);
    ask(CommandType.ZRANGE, key("scheduled"), "0", "0", "WITHSCORES");
    end(call, "s".repeat(batch));
    ask(CommandType.ZADD, scores);
    ask(CommandType.HSET, contents);
  }

  private double bareClaimsAndAcks(int batch, int calls) {
    List<String> due = due(batch * calls);
    redis.ask("CONFIG", "RESETSTAT");
    for (int i = 0; i < calls; i++) {
      bareClaim(due.subList(i * batch, (i + 1) * batch), i);
    }
    for (int i = 0; i < calls; i++) {
      bareAck(due.subList(i * batch, (i + 1) * batch), i);
    }
    return bareMicros();
  }

  private void bareClaim(List<String> names, int call) {
    String token = Long.toString(now * 1000 + call);
    List<String> ends = new ArrayList<>(List.of(key("leased")));
    List<String> records = new ArrayList<>(List.of(key("leases")));
    for (String id : names) {
      ends.addAll(List.of(Long.toString(now + 30_000), id));
      records.addAll(List.of(id, token + " " + now + " 1"));
    }
    int count = names.size();
    begin(call);
    ask(CommandType.ZRANGE, key("leased"), "0", "0", "WITHSCORES");
    ask(CommandType.ZRANGE, range(count + 1));
    ask(CommandType.HLEN, key("retries"));
    ask(CommandType.HMGET, key("messages"), names);
    end(call, "x".repeat(15 * count));
    ask(CommandType.ZREMRANGEBYRANK, key("scheduled"), "0", Integer.toString(count - 1));
    ask(CommandType.ZADD, ends);
    ask(CommandType.HSET, records);
    ask(CommandType.HSET, key("meta"), "token", token);
  }

  private void bareAck(List<String> names, int call) {
    begin(call);
    ask(CommandType.HMGET, key("leases"), names);
    end(call, "o".repeat(names.size()));
    ask(CommandType.ZREM, key("leased"), names);
    ask(CommandType.HDEL, key("leases"), names);
    ask(CommandType.HDEL, key("messages"), names);
  }

  private List<String> due(int count) {
    List<String> names = new ArrayList<>();
    List<?> page = await(ask(CommandType.ZRANGE, range(count))).values();
    for (int i = 0; i < page.size(); i += 2) {
      names.add(new String((byte[]) page.get(i), UTF_8));
    }
    return names;
  }

  private List<String> range(int count) {
    String limit = Integer.toString(count);
    String until = Long.toString(now);
    return List.of(key("scheduled"), "-inf", until, "BYSCORE", "LIMIT", "0", limit, "WITHSCORES");
  }

  /** The keys that partition.lua and session.lua read. */
  private void begin(int call) {
    ask(
        CommandType.HMGET,
        key("meta"),
        "format",
        "partitions",
        "paused",
        "token",
        "largest",
        "purge");
    ask(CommandType.TIME);
    ask(CommandType.HMGET, key("session:bare"), "last", "low", "seen", field(call));
  }

  /** The answers that session.lua stores, and removes in every sixteenth call. */
  private void end(int call, String answer) {
    ask(
        CommandType.HSET,
        key("session:bare"),
        "last",
        field(call),
        "low",
        field(call - 3),
        field(call),
        "A1700000000000000 " + answer);
    if (call % 16 == 15) {
      List<String> fields = new ArrayList<>();
      for (int i = call - 31; i < call - 15; i++) {
        fields.add(field(i));
      }
      ask(CommandType.HDEL, key("session:bare"), fields);
    }
  }

  private static String field(int call) {
    return Integer.toString(100_000 + call);
  }

  private double bareMicros() {
    await(ask(CommandType.PING, List.of()));
    return micros("");
  }

  private String key(String name) {
    return "{punctual:figures:0}:" + name;
  }

  private void ask(CommandType type, String... arguments) {
    CompletionStage<?> unused = ask(type, List.of(arguments));
  }

  private void ask(CommandType type, String key, List<String> more) {
    List<String> all = new ArrayList<>(List.of(key));
    all.addAll(more);
    CompletionStage<?> unused = ask(type, all);
  }

  private CompletionStage<RedisReply> ask(CommandType type, List<String> arguments) {
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
                  && !stat.group(1).equals("ping")
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
