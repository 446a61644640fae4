package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.punctual.IfPresent;
import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.StoreRefusedException;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests users that never had the right to a command, or that lost it while their clients ran. */
final class MissingRightsTest {
  private static final List<String> PLACES = List.of("scheduled", "leased", "dead");

  /** The ids of the operations that add a message. */
  private static final Set<String> ADDED = Set.of("new", "restored", "buried");

  private static RedisProcess redis;
  private static RedisClient client;

  /** Reads the keys after each step. */
  private static RedisCommands<String, String> server;

  @BeforeAll
  static void start() {
    redis = RedisProcess.sharedAndEmpty();
    client = RedisClient.create(redis.url());
    server = client.connect().sync();
  }

  @AfterAll
  static void stop() {
    client.shutdown();
  }

  private static void allow(String user, String... rules) {
    List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", user, "on", ">secret"));
    command.addAll(List.of(rules));
    redis.ask(command.toArray(String[]::new));
  }

  private static RedisStore open(String user) {
    return RedisStore.builder()
        .url("redis://" + user + ":secret@127.0.0.1:" + redis.port() + "?timeout=60s")
        .open();
  }

  @ParameterizedTest
  @ValueSource(strings = {"zadd", "zrem", "hset", "hdel", "zremrangebyrank", "sadd", "zmscore"})
  void open_withoutACommand_namesIt(String command) {
    String user = "without-" + command;
    allow(user, "~*", "&*", "+@all", "-" + command);
    assertThatThrownBy(() -> open(user))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining(command.toUpperCase(java.util.Locale.ROOT))
        .hasMessageContaining("ACL rights");
  }

  @Test
  void open_withoutTheRightToRunScripts_refused() {
    allow("without-scripts", "~*", "&*", "+@all", "-evalsha");
    assertThatThrownBy(() -> open("without-scripts"))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContainingAll("evalsha", "ACL rights");
  }

  @Test
  void open_rightsToSomeQueuesOnly_opens() {
    allow("some-queues", "~{punctual:orders:*", "&*", "+@all");
    try (RedisStore store = open("some-queues")) {
      assertThat(new PartitionUser(store, "orders").schedule("a", 1))
          .isInstanceOf(Outcome.OfSchedule.class);
      assertThat(store.ping().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(60));
    }
  }

  /**
   * A session removes old replies only after it has stored the reply of the current call. So its
   * calls continue without the right to remove them.
   */
  @Test
  void command_forbiddenThatForgetsAnswers_callsGoOn() {
    allow("forgetting", "~*", "&*", "+@all");
    try (RedisStore store = open("forgetting")) {
      PartitionUser user = new PartitionUser(store, "forgetting");
      allow("forgetting", "-hdel", "-expire");
      for (int i = 0; i < 100; i++) {
        assertThat(user.schedule("id-" + i, 1)).isInstanceOf(Outcome.OfSchedule.class);
        if (i % 10 == 9) {
          assertThat(user.claim(5).messages()).hasSize(5);
        }
      }
      allow("forgetting", "+hdel", "+expire");
      assertThat(user.claim(100).messages()).hasSize(50);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hset",
        "hdel",
        "zadd",
        "zrem",
        "zremrangebyrank",
        "sadd",
        "unlink",
        "expire",
        "hget",
        "hmget",
        "hlen",
        "hstrlen",
        "zrange",
        "zscore",
        "zmscore",
        "zcard",
        "zcount",
        "smismember",
        "time",
        "publish"
      })
  void command_forbiddenWhileClientsWork_leavesEachMessageInOnePlace(String command) {
    for (boolean purging : List.of(false, true)) {
      String queue = command + purging;
      allow(queue, "~*", "&*", "+@all");
      try (RedisStore store = open(queue)) {
        Scene scene = new Scene(store, queue, purging);
        allow(queue, "-" + command);
        scene.act();
        allow(queue, "+" + command);
        scene.expectAllInOnePlace();
        scene.act();
        scene.expectAllInOnePlace();
      }
    }
  }

  /** A partition with ready, leased and dead messages, and the operations on them. */
  private static final class Scene {
    private final String queue;
    private final PartitionUser user;
    private final Set<String> wanted = new LinkedHashSet<>();
    private final Map<String, Operation> operations = new LinkedHashMap<>();

    Scene(RedisStore store, String queue, boolean purging) {
      this.queue = queue;
      this.user = new PartitionUser(store, queue);
      List<String> held =
          List.of(
              "ack",
              "retry",
              "bury",
              "release",
              "repeat",
              "renewed",
              "extend",
              "marked",
              "replaced",
              "dead",
              "x");
      held.forEach(id -> store(id));
      long token = user.claim(held.size()).token();
      user.apply(null, new Operation.Cancel("marked"), new Operation.Cancel("replaced"));
      user.apply(
          null,
          new Operation.Bury("dead", token, new byte[] {1}),
          new Operation.Bury("x", token, new byte[] {1}));
      for (int i = 0; i < 10; i++) {
        store("expired" + i);
      }
      user.call(new Call.Claim(9, 1));
      user.apply(null, new Operation.Cancel("expired0"));
      wanted.remove("expired0");
      for (int i = 0; i < 30; i++) {
        store("due" + i);
      }
      operations.put("ack", new Operation.Ack("ack", token));
      operations.put(
          "retry", new Operation.Retry("retry", token, PartitionUser.PAST, new byte[] {1}));
      operations.put("bury", new Operation.Bury("bury", token, new byte[] {1}));
      operations.put("release", new Operation.Release("release", token, null));
      operations.put("repeat", repeat("repeat", token, null));
      operations.put("renewed", repeat("renewed", token, Content.of(new byte[] {2})));
      operations.put("extend", new Operation.Extend("extend", token, 90_000));
      operations.put("marked", new Operation.Release("marked", token, null));
      operations.put("replaced", replace("replaced"));
      operations.put("dead", new Operation.Redrive("dead"));
      operations.put("x", new Operation.DeleteDead("x"));
      operations.put("due27", new Operation.Cancel("due27"));
      operations.put("due28", replace("due28"));
      operations.put("due29", new Operation.RunNow("due29"));
      operations.put("restored", restore("restored", 0));
      operations.put("buried", restore("buried", 7));
      operations.put("new", PartitionUser.scheduling("new", PartitionUser.PAST, 10));
      if (purging) {
        redis.ask("HSET", key("meta"), "purge", "99999999999999 somebody");
      }
    }

    private static Operation restore(String id, long diedAtMillis) {
      Content content = Content.of(new byte[] {3});
      return new Operation.Restore(id, 5, 2, new byte[] {4}, diedAtMillis, content);
    }

    private static Operation repeat(String id, long token, @Nullable Content content) {
      return new Operation.Repeat(id, token, PartitionUser.PAST, content);
    }

    private static Operation replace(String id) {
      return new Operation.Schedule(
          id, PartitionUser.PAST, IfPresent.REPLACE, Content.of(new byte[] {2}));
    }

    private void store(String id) {
      user.schedule(id, 10);
      wanted.add(id);
    }

    private String key(String name) {
      return "{punctual:" + queue + ":0}:" + name;
    }

    void act() {
      operations.forEach(this::act);
      for (int limit : List.of(1, 3, 12)) {
        boolean takes = limit == 3;
        Reply reply = attempt(new Call.Claim(limit, 60_000, takes));
        if (takes && reply instanceof Reply.Claimed taken) {
          taken.messages().forEach(message -> wanted.remove(message.id()));
        }
        expectAllInOnePlace();
      }
      attempt(() -> PartitionUser.await(user.partition().pause(true)));
      attempt(() -> PartitionUser.await(user.partition().pause(false)));
      attempt(() -> PartitionUser.await(user.partition().purge(Set.of(State.DEAD))));
      wanted.removeIf(id -> !isAnywhere(id) && !server.hexists(key("messages"), id));
      expectAllInOnePlace();
    }

    private void act(String id, Operation operation) {
      if (ADDED.contains(id)) {
        wanted.remove(id);
      }
      Reply reply = attempt(new Call.Apply(List.of(operation), null));
      if (ADDED.contains(id) && reply != null) {
        wanted.add(id);
      }
      boolean ends =
          operation instanceof Operation.Ack
              || operation instanceof Operation.Cancel
              || operation instanceof Operation.DeleteDead
              || id.equals("marked");
      if (ends && !isAnywhere(id)) {
        assertThat(server.hexists(key("messages"), id)).isFalse();
        wanted.remove(id);
      }
      expectAllInOnePlace();
    }

    private boolean isAnywhere(String id) {
      return PLACES.stream().anyMatch(place -> all(place).contains(id));
    }

    /** Makes a call. If Redis refuses it, returns null, and the next call gets its number. */
    private Reply attempt(Call.Body body) {
      try {
        return user.call(body);
      } catch (PunctualException refused) {
        user.forgetLast();
        return null;
      }
    }

    private static void attempt(Runnable action) {
      try {
        action.run();
      } catch (PunctualException refused) {
        assertThat(refused.getMessage())
            .containsAnyOf("see 'ACL rights'", "Another purge of this queue");
      }
    }

    void expectAllInOnePlace() {
      List<String> found = new ArrayList<>();
      PLACES.forEach(place -> found.addAll(all(place)));
      assertThat(found).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(wanted());
      List<String> contents = server.hkeys(key("messages"));
      contents.remove(""); // see inspect.lua
      assertThat(contents).containsExactlyInAnyOrderElementsOf(found);
      List<String> records = server.hkeys(key("leases"));
      assertThat(all("leased").containsAll(records)).isTrue();
    }

    /**
     * Returns the ids of the messages that the partition must contain. The cancelled message with
     * an expired lease may be missing, because the next claim removes it.
     */
    private Set<String> wanted() {
      Set<String> all = new LinkedHashSet<>(wanted);
      if (isAnywhere("expired0")) {
        all.add("expired0");
      }
      return all;
    }

    private List<String> all(String place) {
      return server.zrange(key(place), 0, -1);
    }
  }
}
