package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.CancelOutcome;
import io.punctual.PunctualException;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests restarts, failures and limits of a server while a store uses it. */
final class RedisServerTest {
  private static RedisStore open(RedisProcess redis) {
    return RedisStore.builder().url(redis.url() + "?timeout=60s").open();
  }

  @Test
  void scriptFlush_betweenCalls_goesUnnoticed() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store = open(redis)) {
      PartitionUser user = new PartitionUser(store, "q");
      for (int i = 0; i < 50; i++) {
        redis.ask("SCRIPT", "FLUSH");
        user.schedule("m" + i, 10);
      }
      redis.ask("SCRIPT", "FLUSH");
      assertThat(user.claim(100).messages()).hasSize(50);
      redis.ask("SCRIPT", "FLUSH");
      assertThat(await(user.partition().counts()).leased()).isEqualTo(50);
    }
  }

  @Test
  void claim_ofMany_keepsLeasesWhereTheyAreFoundWithoutASearch() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store = open(redis)) {
      PartitionUser user = new PartitionUser(store, "q");
      for (int i = 0; i < 20; i++) {
        user.schedule("m" + i, 10);
      }
      String leased = "{punctual:q:0}:leased";
      String leases = "{punctual:q:0}:leases";
      user.claim(3);
      assertThat(redis.ask("OBJECT", "ENCODING", leased)).isNotEqualTo("skiplist");
      user.claim(17);
      assertThat(redis.ask("OBJECT", "ENCODING", leased)).isEqualTo("skiplist");
      assertThat(redis.ask("OBJECT", "ENCODING", leases)).isEqualTo("hashtable");
      assertThat(redis.ask("ZCARD", leased)).isEqualTo(20L);
      assertThat(redis.ask("HLEN", leases)).isEqualTo(20L);
      assertThat((List<?>) redis.ask("HVALS", leases))
          .allSatisfy(lease -> assertThat((String) lease).matches("\\d+ \\d+/\\w+ 1"));
    }
  }

  @Test
  void claim_ofManyWhileTheLeasesAreForeign_losesNoPlace() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store = open(redis)) {
      PartitionUser user = new PartitionUser(store, "q");
      for (int i = 0; i < 9; i++) {
        user.schedule("m" + i, 10);
      }
      redis.ask("SET", "{punctual:q:0}:leases", "foreign");
      assertThatThrownBy(() -> user.claim(9)).isInstanceOf(PunctualException.class);
      redis.ask("DEL", "{punctual:q:0}:leases");
      assertThat((List<?>) redis.ask("ZRANGE", "{punctual:q:0}:leased", "0", "-1"))
          .hasSize(9)
          .allSatisfy(id -> assertThat((String) id).startsWith("m"));
    }
  }

  @Test
  void clientKill_betweenCalls_connectsAnew() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store = open(redis)) {
      PartitionUser user = new PartitionUser(store, "q");
      for (int i = 0; i < 10; i++) {
        redis.ask("CLIENT", "KILL", "TYPE", "normal");
        Operation operation = PartitionUser.scheduling("m" + i, PartitionUser.PAST, 10);
        Call.Apply call = new Call.Apply(List.of(operation), null);
        Reply reply = user.callUntilAnswered(call);
        assertThat(user.repeat(call)).isEqualTo(reply);
      }
      Awaitility.await()
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(await(user.partition().counts()).ready()).isEqualTo(10));
    }
  }

  @Test
  void freeze_callUnderWay_failsWithinTheTimeoutAndThenGoesOn() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store =
        RedisStore.builder().url(redis.url() + "?timeout=2s&durabilityTimeout=100ms").open()) {
      PartitionUser user = new PartitionUser(store, "q");
      redis.freeze();
      Call.Apply call =
          new Call.Apply(List.of(PartitionUser.scheduling("a", PartitionUser.PAST, 10)), null);
      assertThatThrownBy(() -> user.call(call))
          .isInstanceOf(PunctualException.class)
          .isNotInstanceOf(Partition.NotSentException.class);
      redis.thaw();
      assertThat(user.repeat(call)).isInstanceOf(Reply.Applied.class);
      assertThat(await(user.partition().counts()).ready()).isEqualTo(1);
    }
  }

  @Test
  void killed_callsMeanwhile_notSentAndThenGoOn() {
    try (RedisProcess redis = RedisProcess.builder().appendOnly("always").start();
        RedisStore store = open(redis)) {
      PartitionUser user = new PartitionUser(store, "q");
      user.schedule("a", 10);
      redis.kill();
      Awaitility.await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> await(user.partition().counts()))
                      .isInstanceOf(Partition.NotSentException.class));
      redis.restart();
      Awaitility.await()
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(await(user.partition().counts()).ready()).isEqualTo(1));
      assertThat(user.claim(10).messages()).hasSize(1);
    }
  }

  @Test
  void maxmemory_reached_refusesSchedulesAndNothingElse() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store = open(redis)) {
      PartitionUser user = new PartitionUser(store, "q");
      user.schedule("cancelled", 10);
      user.schedule("a", 10);
      user.schedule("b", 10);
      user.schedule("c", 10);
      user.schedule("repeated", 10);
      redis.ask("CONFIG", "SET", "maxmemory", "1");
      assertThat(user.schedule("d", 10))
          .isInstanceOfSatisfying(
              Outcome.Full.class, full -> assertThat(full.why()).contains("maxmemory"));
      assertThat(
              user.apply(
                      null,
                      new Operation.Cancel("cancelled"),
                      PartitionUser.scheduling("e", PartitionUser.PAST, 1))
                  .outcomes())
          .satisfiesExactly(
              first -> assertThat(first).isEqualTo(new Outcome.OfCancel(CancelOutcome.CANCELLED)),
              second -> assertThat(second).isInstanceOf(Outcome.Full.class));
      Reply.Claimed claimed = user.claim(4);
      assertThat(claimed.messages()).hasSize(4);
      long token = claimed.token();
      assertThat(
              user.apply(
                      null,
                      new Operation.Ack("a", token),
                      new Operation.Extend("b", token, 90_000),
                      new Operation.Retry("b", token, PartitionUser.PAST, new byte[100]),
                      new Operation.Bury("c", token, new byte[100]),
                      new Operation.Repeat(
                          "repeated", token, PartitionUser.PAST, Content.of(new byte[9000])),
                      new Operation.Redrive("c"))
                  .outcomes())
          .filteredOn(Outcome.OfSettlement.class::isInstance)
          .containsOnly(new Outcome.OfSettlement(SettleOutcome.DONE));
      await(user.partition().pause(true));
      await(user.partition().pause(false));
      PartitionUser other = new PartitionUser(store, "q");
      Awaitility.await()
          .untilAsserted(() -> assertThat(await(user.partition().counts()).ready()).isEqualTo(3));
      assertThat(other.claim(10).messages()).hasSize(3);
      assertThat(await(user.partition().purge(Set.of(State.LEASED)))).isEqualTo(3);
      redis.ask("CONFIG", "SET", "maxmemory", "0");
      assertThat(user.schedule("d", 10)).isInstanceOf(Outcome.OfSchedule.class);
    } finally {
      redis.ask("CONFIG", "SET", "maxmemory", "0");
    }
  }

  @Test
  void claimAtMostOnce_foreignContent_isLeasedAndCanBeBuried() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store = open(redis)) {
      PartitionUser user = new PartitionUser(store, "q");
      String key = "{punctual:q:0}:";
      user.schedule("mine", 10);
      redis.ask("ZADD", key + "scheduled", "1", "no content", "2", "foreign content");
      redis.ask("HSET", key + "messages", "foreign content", "hello");

      Reply.Claimed taken = (Reply.Claimed) user.call(new Call.Claim(10, 60_000, true));
      assertThat(taken.messages()).extracting(Reply.Leased::id).containsExactly("mine");
      assertThat(taken.unreadable())
          .extracting(Reply.Unreadable::id)
          .containsExactly("no content", "foreign content");
      for (Reply.Unreadable bad : taken.unreadable()) {
        assertThat(
                user.apply(null, new Operation.Bury(bad.id(), taken.token(), new byte[1]))
                    .outcomes())
            .containsExactly(new Outcome.OfSettlement(SettleOutcome.DONE));
      }
      assertThat(await(user.partition().counts()).dead()).isEqualTo(2);
    }
  }

  @Test
  void foreignMembers_everywhere_neverStopThePartition() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store = open(redis)) {
      PartitionUser user = new PartitionUser(store, "q");
      user.schedule("mine", 10);
      String key = "{punctual:q:0}:";
      redis.ask("ZADD", key + "scheduled", "1.5", "no content");
      redis.ask("ZADD", key + "scheduled", "-inf", "at no time", "+inf", "never");
      redis.ask("HSET", key + "messages", "undecodable", "hello");
      redis.ask("ZADD", key + "scheduled", "7", "undecodable");
      redis.ask("ZADD", key + "leased", "5", "leased by nobody", "6", "mine");
      redis.ask("HSET", key + "leases", "odd", "what is this");
      redis.ask("ZADD", key + "leased", "8", "odd");
      redis.ask("EVAL", "redis.call('ZADD', KEYS[1], 3, '\\255\\0\\200')", "1", key + "scheduled");
      redis.ask("ZADD", key + "dead", "4", "dead and gone");

      Reply.Claimed claimed = user.claim(100);
      assertThat(claimed.messages()).extracting(Reply.Leased::id).containsExactly("mine");
      assertThat(claimed.unreadable()).hasSize(5);
      assertThat(claimed.untilNextMicros()).isPositive();
      Operation[] burials =
          claimed.unreadable().stream()
              .map(bad -> new Operation.Bury(bad.id(), claimed.token(), new byte[] {1}))
              .toArray(Operation[]::new);
      assertThat(user.apply(null, burials).outcomes())
          .containsOnly(new Outcome.OfSettlement(SettleOutcome.DONE));
      assertThat(user.claim(100).unreadable()).isEmpty();
      assertThat(await(user.partition().browse(State.DEAD, null, 100)).entries())
          .hasSize(6)
          .allSatisfy(entry -> assertThat(entry.content()).isNull());
      Entry never = await(user.partition().find("never")).orElseThrow();
      assertThat(never.state()).isEqualTo(State.SCHEDULED);
      assertThat(await(user.partition().purge(Set.of(State.values())))).isEqualTo(8);
    }
  }

  @Test
  void keyOfAnotherType_session_refusedWithItsName() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store = open(redis)) {
      redis.ask("SET", "{punctual:q:0}:messages", "a string");
      assertThatThrownBy(() -> new PartitionUser(store, "q"))
          .isInstanceOf(Partition.PartitionException.class)
          .hasMessageContaining("{punctual:q:0}:messages is a string");
    }
  }

  @Test
  void formatOrPartitions_ofAnotherVersion_refusedWithoutEffect() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store = open(redis)) {
      PartitionUser user = new PartitionUser(store, "q");
      redis.ask("HSET", "{punctual:q:0}:meta", "format", "2");
      assertThatThrownBy(() -> user.schedule("a", 1))
          .isInstanceOf(Partition.PartitionException.class)
          .hasMessageContaining("format 2");
      user.forgetLast();
      redis.ask("HSET", "{punctual:q:0}:meta", "format", "0");
      assertThat(user.schedule("of an older version", 1)).isInstanceOf(Outcome.OfSchedule.class);
      redis.ask("HSET", "{punctual:q:0}:meta", "format", "1", "partitions", "8");
      assertThatThrownBy(() -> user.schedule("a", 1))
          .isInstanceOf(Partition.PartitionException.class)
          .hasMessageContaining("8 partitions");
      user.forgetLast();
      redis.ask("HSET", "{punctual:q:0}:meta", "partitions", "1");
      assertThat(user.schedule("a", 1)).isInstanceOf(Outcome.OfSchedule.class);
    }
  }

  @Test
  void requestQueue_full_refusedAndNotSent() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store = RedisStore.builder().url(redis.url()).requestQueue(20).open()) {
      Partition partition = await(store.partitions("q")).get(0);
      redis.freeze();
      List<CompletionStage<?>> asked = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        asked.add(partition.counts());
      }
      assertThat(asked)
          .filteredOn(stage -> stage.toCompletableFuture().isCompletedExceptionally())
          .hasSizeGreaterThanOrEqualTo(80)
          .allSatisfy(
              stage ->
                  assertThatThrownBy(() -> await(stage))
                      .isInstanceOf(Partition.NotSentException.class)
                      .hasMessageContaining("requestQueue"));
      redis.thaw();
      await(asked.get(0));
    }
  }
}
