package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.kit.log.CapturedLog;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests keys that a foreign program has changed: their values only resemble the store's values. */
final class ForeignRecordsTest {
  private static final String KEY = "{punctual:q:0}:";
  private RedisProcess redis;
  private RedisStore store;

  @BeforeEach
  void start() {
    redis = RedisProcess.sharedAndEmpty();
    store = RedisStore.builder().url(redis.url() + "?timeout=60s").open();
  }

  @AfterEach
  void stop() {
    store.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "5 abc 1",
        "5 nan 1",
        "5 0x10 1",
        "5 1e400 99999999999",
        "5 1000 99999999999",
        "5 1000 1e15",
        "99999999999999999999 1000 1",
        "5 1000 ",
        "5"
      })
  void claim_leaseRecordOfAnotherForm_takesTheOthersAndHandsItOver(String record) {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("mine", 10);
    user.schedule("bad", 10);
    user.claim(2);
    redis.ask("HSET", KEY + "leases", "bad", record);
    redis.ask("ZADD", KEY + "leased", "0", "bad", "1", "mine");

    Reply.Claimed claimed = user.claim(10);
    assertThat(claimed.messages()).extracting(Reply.Leased::id).contains("mine");
    assertThat(claimed.messages().size() + claimed.unreadable().size()).isEqualTo(2);
    user.apply(null, new Operation.Bury("bad", claimed.token(), new byte[] {1}));
    assertThat(await(user.partition().find("bad"))).map(Entry::state).contains(State.DEAD);
    user.apply(null, new Operation.Redrive("bad"));
    // A redriven message becomes due up to a millisecond later.
    Awaitility.await()
        .until(
            () -> user.claim(10).messages().stream().map(Reply.Leased::id).toList(),
            List.of("bad")::equals);
  }

  @Test
  void find_leaseRecordOfAnEarlierRelease_hasNoHolderAndCanBeCancelledAndAcked() {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("a", 10);
    long token = user.claim(1).token();
    redis.ask("HSET", KEY + "leases", "a", token + " 1000 1");

    user.apply(null, new Operation.Cancel("a"));
    Entry entry = await(user.partition().find("a")).orElseThrow();
    assertThat(entry.holder()).isNull();
    assertThat(entry.dueMillis()).isEqualTo(1000);
    assertThat(entry.attempts()).isEqualTo(1);
    assertThat(entry.cancelled()).isTrue();
    assertThat(user.apply(null, new Operation.Ack("a", token)).outcomes())
        .containsExactly(new Outcome.OfSettlement(SettleOutcome.DONE));
  }

  @Test
  void schedule_contentOfALeasedMessageIsGone_messageIsKept() {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("a", 10);
    user.claim(1);
    redis.ask("HDEL", KEY + "messages", "a");

    assertThat(user.schedule("a", 10))
        .isInstanceOfSatisfying(
            Outcome.OfSchedule.class,
            kept -> {
              assertThat(kept.outcome()).isEqualTo(ScheduleOutcome.KEPT);
              assertThat(kept.previous()).isEqualTo(State.LEASED);
            });
    assertThat(redis.ask("ZCARD", KEY + "scheduled")).isEqualTo(0L);
  }

  @Test
  void schedule_contentOfADeadLetterIsGone_deadLetterIsReplaced() {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("a", 10);
    long token = user.claim(1).token();
    user.apply(null, new Operation.Bury("a", token, new byte[] {1}));
    redis.ask("HDEL", KEY + "messages", "a");

    assertThat(user.schedule("a", 10))
        .isInstanceOfSatisfying(
            Outcome.OfSchedule.class,
            replaced -> assertThat(replaced.previous()).isEqualTo(State.DEAD));
    assertThat(redis.ask("ZCARD", KEY + "dead")).isEqualTo(0L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"5 abc 1", "5 nan 1", "5 0x10 1", "5 1000 99999999999"})
  void claimAtMostOnce_leaseRecordOfAnotherForm_messageCanBeBuried(String record) {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("bad", 10);
    user.claim(1);
    redis.ask("HSET", KEY + "leases", "bad", record);
    redis.ask("ZADD", KEY + "leased", "0", "bad");

    Reply.Claimed taken = (Reply.Claimed) user.call(new Call.Claim(1, 60_000, true));
    user.apply(null, new Operation.Bury("bad", taken.token(), new byte[] {1}));
    assertThat(taken.messages().isEmpty())
        .as("the client can't read the lease, and the message is a dead letter")
        .isEqualTo(await(user.partition().find("bad")).isPresent());
  }

  @ParameterizedTest
  @ValueSource(strings = {"99999999999 1 x", "x", "1", "1e15 nan y"})
  void claim_retriesOfAnotherForm_takesTheOthers(String record) {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("mine", 10);
    user.schedule("bad", 10);
    redis.ask("HSET", KEY + "retries", "bad", record);

    Reply.Claimed claimed = user.claim(10);
    assertThat(claimed.messages()).extracting(Reply.Leased::id).contains("mine");
    assertThat(claimed.messages().size() + claimed.unreadable().size()).isEqualTo(2);
    assertThat(await(user.partition().browse(State.LEASED, null, 10)).entries()).hasSize(2);
    assertThat(await(user.partition().find("bad"))).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "0", "-1", "99999999999", "1.5", "nan"})
  void partitions_noNumber_saysWhereItStands(String partitions) {
    PartitionUser user = new PartitionUser(store, "q");
    redis.ask("HSET", KEY + "meta", "partitions", partitions);
    assertThatThrownBy(() -> user.schedule("a", 1))
        .isInstanceOf(Partition.PartitionException.class)
        .isNotInstanceOf(Partition.PartitionCountException.class)
        .hasMessageContaining("'" + partitions + "'")
        .hasMessageContaining("meta");
    assertThatThrownBy(() -> await(store.partitions("q")))
        .isInstanceOf(Partition.PartitionException.class);
    redis.ask("HSET", KEY + "meta", "partitions", "1");
    user.forgetLast();
    assertThat(user.schedule("a", 1)).isInstanceOf(Outcome.OfSchedule.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "nan", "inf", "-5", "1e30", ""})
  void meta_numbersOfAnotherForm_stopNothing(String number) {
    PartitionUser user = new PartitionUser(store, "q");
    redis.ask("HSET", KEY + "meta", "token", number, "largest", number, "purge", number);
    assertThat(user.claim(1).messages()).isEmpty();
    user.schedule("a", 10);
    user.schedule("b", 10);
    Reply.Claimed claimed = user.claim(1);
    assertThat(claimed.messages()).hasSize(1);
    assertThat(user.apply(null, new Operation.Release("a", claimed.token(), null)).outcomes())
        .hasSize(1);
    assertThat(user.claim(10).messages()).hasSize(2);
  }

  @Test
  void session_ofAnotherForm_countsAsLost() {
    PartitionUser user = new PartitionUser(store, "q");
    for (String field : new String[] {"last", "low", "seen"}) {
      Object session = ((List<?>) redis.ask("KEYS", KEY + "session:*")).get(0);
      redis.ask("HSET", session.toString(), field, "x");
      assertThat(user.call(new io.punctual.spi.Call.Claim(1, 1000)))
          .isInstanceOf(Reply.NoSession.class);
      redis.ask("HSET", session.toString(), field, "0");
      user.forgetLast();
    }
  }

  @Test
  void leased_idThatNobodyWrote_isRemovedOnceWithOneLogLine() {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("mine", 10);
    user.claim(1);
    redis.ask("ZADD", KEY + "leased", "0", "nobody's", "1", "mine");
    redis.ask("ZADD", KEY + "leased", "2", "x".repeat(1000));
    try (CapturedLog log = new CapturedLog()) {
      Reply.Claimed claimed = user.claim(10);
      assertThat(claimed.unreadable()).isEmpty();
      assertThat(claimed.messages()).extracting(Reply.Leased::id).containsExactly("mine");
      assertThat(user.claim(10).messages()).isEmpty();
      assertThat(log.linesWith("nobody's"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains("WARN", "'q'", "leased"));
    }
    assertThat(redis.ask("ZRANGE", KEY + "leased", "0", "-1")).isEqualTo(List.of("mine"));
    assertThat(await(user.partition().find("nobody's"))).isEmpty();
  }
}
