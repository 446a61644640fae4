package io.punctual.benchmarks.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolVersion;
import io.punctual.benchmarks.PartitionCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Sends the commands of the store's scripts one by one, without scripts: the commands of schedules,
 * claims and acks.
 */
final class BareCommands implements MessageCosts.Work, AutoCloseable {
  static final String QUEUE = "figures";

  private static final List<String> COUNTED =
      List.of("hmget", "hset", "hdel", "hlen", "time", "zadd", "zrange", "zrem", "zremrangebyrank");
  private static final long LEASE_MILLIS = 30_000;
  private static final int ANSWERS = 16;

  private final RedisClient client;
  private final RedisAsyncCommands<String, String> commands;
  private final long nowMillis;
  private final Supplier<String> ids;

  BareCommands(String url, long nowMillis, Supplier<String> ids) {
    this.nowMillis = nowMillis;
    this.ids = ids;
    client = RedisClient.create(url);
    client.setOptions(ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build());
    commands = client.connect().async();
  }

  @Override
  public boolean isMeasured(String command) {
    return COUNTED.contains(command);
  }

  @Override
  public void schedule(int batch, int count) {
    for (int i = 0; i < count; i++) {
      schedule(batch, i, nowMillis + 3_600_000 + i);
    }
    awaitAll();
  }

  private void schedule(int batch, long call, long due) {
    List<String> names = new ArrayList<>();
    List<String> scores = new ArrayList<>(List.of(key("scheduled")));
    List<String> contents = new ArrayList<>(List.of(key("messages")));
    for (int i = 0; i < batch; i++) {
      String id = ids.get();
      names.add(id);
      scores.addAll(List.of(Long.toString(due + i), id));
      contents.addAll(List.of(id, "x".repeat(102)));
    }
    begin(call);
    send(CommandType.HMGET, key("messages"), names);
    send(CommandType.ZRANGE, key("scheduled"), "0", "0", "WITHSCORES");
    end(call, "s".repeat(batch));
    send(CommandType.ZADD, scores);
    send(CommandType.HSET, contents);
  }

  /**
   * Reads the ids of due messages in advance, as a client would have to, and returns the calls that
   * claim and ack these messages.
   */
  @Override
  public Runnable claimsAndAcks(int batch, int count) {
    List<String> due = due(batch * count);
    return () -> {
      for (int i = 0; i < count; i++) {
        claim(due.subList(i * batch, (i + 1) * batch), i);
      }
      for (int i = 0; i < count; i++) {
        ack(due.subList(i * batch, (i + 1) * batch), i);
      }
      awaitAll();
    };
  }

  private List<String> due(int count) {
    List<String> names = new ArrayList<>();
    List<?> page = PartitionCalls.await(send(CommandType.ZRANGE, range(count)));
    for (int i = 0; i < page.size(); i += 2) {
      names.add(String.valueOf(page.get(i)));
    }
    return names;
  }

  private void claim(List<String> names, long call) {
    String token = Long.toString(nowMillis * 1000 + call);
    List<String> ends = new ArrayList<>(List.of(key("leased")));
    List<String> records = new ArrayList<>(List.of(key("leases")));
    for (String id : names) {
      ends.addAll(List.of(Long.toString(nowMillis + LEASE_MILLIS), id));
      records.addAll(List.of(id, token + " " + nowMillis + " 1"));
    }
    int count = names.size();
    begin(call);
    send(CommandType.ZRANGE, key("leased"), "0", "0", "WITHSCORES");
    send(CommandType.ZRANGE, range(count + 1));
    send(CommandType.HLEN, List.of(key("retries")));
    send(CommandType.HMGET, key("messages"), names);
    end(call, "x".repeat(15 * count));
    send(CommandType.ZREMRANGEBYRANK, key("scheduled"), "0", Integer.toString(count - 1));
    send(CommandType.ZADD, ends);
    send(CommandType.HSET, records);
    send(CommandType.HSET, key("meta"), "token", token);
  }

  private void ack(List<String> names, long call) {
    begin(call);
    send(CommandType.HMGET, key("leases"), names);
    end(call, "o".repeat(names.size()));
    send(CommandType.ZREM, key("leased"), names);
    send(CommandType.HDEL, key("leases"), names);
    send(CommandType.HDEL, key("messages"), names);
  }

  private List<String> range(int count) {
    String limit = Integer.toString(count);
    String until = Long.toString(nowMillis);
    return List.of(key("scheduled"), "-inf", until, "BYSCORE", "LIMIT", "0", limit, "WITHSCORES");
  }

  /** Reads the meta data and the session, as partition.lua and session.lua do first. */
  private void begin(long call) {
    List<String> meta = List.of("format", "partitions", "paused", "token", "largest", "purge");
    send(CommandType.HMGET, key("meta"), meta);
    send(CommandType.TIME, List.of());
    send(CommandType.HMGET, key("session:bare"), "last", "low", "seen", field(call));
  }

  /** Stores an answer, as session.lua does, and removes old answers in every sixteenth call. */
  private void end(long call, String answer) {
    String session = key("session:bare");
    String value = "A1700000000000000 " + answer;
    send(
        CommandType.HSET, session, "last", field(call), "low", field(call - 3), field(call), value);
    if (call % ANSWERS == ANSWERS - 1) {
      List<String> fields = new ArrayList<>();
      for (long i = call - 2 * ANSWERS + 1; i <= call - ANSWERS; i++) {
        fields.add(field(i));
      }
      send(CommandType.HDEL, session, fields);
    }
  }

  private static String field(long call) {
    return Long.toString(100_000 + call);
  }

  private static String key(String name) {
    return "{punctual:" + QUEUE + ":0}:" + name;
  }

  private void awaitAll() {
    var unused = PartitionCalls.await(commands.ping());
  }

  private void send(CommandType type, String... arguments) {
    var unused = send(type, List.of(arguments));
  }

  private void send(CommandType type, String key, List<String> more) {
    List<String> all = new ArrayList<>(List.of(key));
    all.addAll(more);
    var unused = send(type, all);
  }

  private CompletionStage<List<Object>> send(CommandType type, List<String> arguments) {
    return commands.dispatch(
        type,
        new NestedMultiOutput<>(StringCodec.UTF8),
        new CommandArgs<>(StringCodec.UTF8).addValues(arguments));
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
