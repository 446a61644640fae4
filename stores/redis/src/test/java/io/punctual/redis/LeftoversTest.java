package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.harness.redis.RedisProcess;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The data that crashed clients leave on the server, and outdated knowledge of clients. */
final class LeftoversTest {
  private static final String KEY = "{punctual:q:0}:";
  private RedisProcess redis;
  private RedisStore store;

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
    store = RedisStore.builder().url(redis.url() + "?timeout=2s").open();
  }

  @AfterEach
  void stop() {
    store.close();
    redis.close();
  }

  @Test
  void purge_abandoned_sparedIdsExpire() {
    PartitionUser user = new PartitionUser(store, "q");
    String soon = Long.toString(Instant.now().plusSeconds(60).toEpochMilli());
    redis.ask("HSET", KEY + "meta", "purge", soon + " crashed");
    user.schedule("new", 10);
    assertThat(redis.ask("SMEMBERS", KEY + "spared")).isEqualTo(List.of("new"));
    assertThat((Long) redis.ask("TTL", KEY + "spared")).isBetween(60L, 120L);
    redis.ask("PERSIST", KEY + "spared");
    user.claim(1);
    assertThat((Long) redis.ask("TTL", KEY + "spared")).isBetween(60L, 120L);
  }

  @Test
  void session_ofACrashedClient_keepsFewIdsForAnHour() {
    PartitionUser user = new PartitionUser(store, "q");
    for (int round = 0; round < 20; round++) {
      user.apply(
          null,
          IntStream.range(0, 200)
              .mapToObj(i -> PartitionUser.scheduling("message " + i, PartitionUser.PAST, 1))
              .toArray(Operation[]::new));
      long token = user.claim(200).token();
      user.apply(
          null,
          IntStream.range(0, 200)
              .mapToObj(i -> new Operation.Ack("message " + i, token))
              .toArray(Operation[]::new));
    }
    String session = (String) ((List<?>) redis.ask("KEYS", KEY + "session:*")).get(0);
    long bytes =
        ((List<?>) redis.ask("HVALS", session))
            .stream().mapToLong(value -> value.toString().length()).sum();
    assertThat(bytes).isLessThan(4000);
    assertThat((Long) redis.ask("TTL", session)).isBetween(3600L, 4200L);
  }

  @Test
  void flushall_sessionOpenedAgain_queueIsListedAgain() {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("a", 1);
    Awaitility.await().until(() -> await(store.queues()).equals(List.of("q")));
    redis.ask("FLUSHALL");
    assertThat(user.call(new Call.Claim(1, 1000))).isInstanceOf(Reply.NoSession.class);
    new PartitionUser(store, "q").schedule("b", 1);
    Awaitility.await().until(() -> await(store.queues()).equals(List.of("q")));
  }

  @Test
  void claim_manyCancelledLeasesThatEnded_removesThemInSteps() {
    PartitionUser user = new PartitionUser(store, "q");
    for (int from = 0; from < 1000; from += 250) {
      user.apply(
          null,
          IntStream.range(from, from + 250)
              .mapToObj(i -> PartitionUser.scheduling("m" + i, PartitionUser.PAST, 1))
              .toArray(Operation[]::new));
    }
    user.call(new Call.Claim(1000, 60_000));
    for (int from = 0; from < 1000; from += 250) {
      user.apply(
          null,
          IntStream.range(from, from + 250)
              .mapToObj(i -> new Operation.Cancel("m" + i))
              .toArray(Operation[]::new));
    }
    redis.ask(
        "EVAL",
        "for i = 0, 999 do redis.call('ZADD', KEYS[1], 1, 'm' .. i) end",
        "1",
        KEY + "leased");
    Reply.Claimed first = user.claim(1);
    assertThat(first.untilNextMicros()).isZero();
    assertThat((Long) redis.ask("ZCARD", KEY + "leased")).isBetween(500L, 999L);
    Awaitility.await().until(() -> user.claim(1).untilNextMicros() == Reply.NONE);
    assertThat(redis.ask("EXISTS", KEY + "leased", KEY + "messages", KEY + "leases")).isEqualTo(0L);
  }

  @Test
  void clientsOfOneImage_sameSession_bothStoreTheirMessages() {
    PartitionUser user = new PartitionUser(store, "q");
    Operation.Schedule theirs = schedule("theirs");
    Operation.Schedule mine = schedule("mine");
    assertThat(user.callFirst(new Call.Apply(List.of(theirs), null)))
        .isInstanceOfSatisfying(
            Reply.Applied.class,
            applied ->
                assertThat(applied.outcomes().get(0)).isInstanceOf(Outcome.OfSchedule.class));
    user.forgetLast();
    assertThat(user.callFirst(new Call.Apply(List.of(mine), null)))
        .isInstanceOf(Reply.NoSession.class);
    assertThat(await(user.partition().find("mine"))).isEmpty();
    assertThat(await(user.partition().find("theirs"))).isPresent();
  }

  private static Operation.Schedule schedule(String id) {
    return new Operation.Schedule(
        id, PartitionUser.PAST, IfPresent.KEEP, Content.of(new byte[] {1}));
  }
}
