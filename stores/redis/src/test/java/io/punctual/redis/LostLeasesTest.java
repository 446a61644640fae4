package io.punctual.redis;

import static io.punctual.redis.PartitionUser.PAST;
import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests partitions with leased messages whose leases a foreign program has removed. */
final class LostLeasesTest {
  private static final String KEY = "{punctual:q:0}:";
  private static final DueTime LATER = new DueTime(true, 3_600_000);

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

  /** A client claimed messages and died, and the key with the ends of its leases was lost. */
  @ParameterizedTest
  @CsvSource({
    "KEEP, KEPT",
    "REJECT, REJECTED",
    "cancel, RUNNING",
    "reschedule, RUNNING",
    "runNow, RUNNING",
    "changeWaiting, RUNNING",
    "find, LEASED",
    "counts, 1",
    "browse, 1",
    "purge, 1",
  })
  void leasedRemoved_anyCallPutsTheMessageBack(String call, String outcome) {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("a", 10);
    user.claim(1);
    redis.ask("DEL", KEY + "leased");

    assertThat(outcomeOf(call, user)).isEqualTo(outcome);

    Reply.Claimed again = user.claim(10);
    if (call.equals("cancel") || call.equals("purge")) {
      assertThat(again.messages()).isEmpty();
      assertThat(redis.ask("EXISTS", KEY + "leases", KEY + "leased")).isEqualTo(0L);
    } else {
      assertThat(again.messages())
          .singleElement()
          .satisfies(message -> assertThat(message.attempt()).isEqualTo(2));
    }
  }

  private static String outcomeOf(String call, PartitionUser user) {
    return switch (call) {
      case "find" -> await(user.partition().find("a")).orElseThrow().state().toString();
      case "counts" -> Long.toString(await(user.partition().counts()).leased());
      case "browse" ->
          Integer.toString(await(user.partition().browse(State.LEASED, null, 10)).entries().size());
      case "purge" -> Long.toString(await(user.partition().purge(Set.of(State.LEASED))));
      case "cancel" -> rescheduled(user, new Operation.Cancel("a"));
      case "reschedule" -> rescheduled(user, new Operation.Reschedule("a", LATER));
      case "changeWaiting" -> rescheduled(user, new Operation.ChangeWaiting("a", 10, null));
      case "runNow" -> rescheduled(user, new Operation.RunNow("a"));
      default ->
          ((Outcome.OfSchedule)
                  outcome(
                      user,
                      new Operation.Schedule(
                          "a", PAST, IfPresent.valueOf(call), Content.of(new byte[] {1}))))
              .outcome()
              .toString();
    };
  }

  private static String rescheduled(PartitionUser user, Operation operation) {
    Outcome outcome = outcome(user, operation);
    return outcome instanceof Outcome.OfCancel cancel
        ? cancel.outcome().toString()
        : ((Outcome.OfReschedule) outcome).outcome().toString();
  }

  private static Outcome outcome(PartitionUser user, Operation operation) {
    return user.apply(null, operation).outcomes().get(0);
  }

  @Test
  void leasedRemoved_holderIsAlive_itsSettlementsCount() {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("acked", 10);
    user.schedule("extended", 10);
    long token = user.claim(2).token();
    redis.ask("DEL", KEY + "leased");

    List<Outcome> outcomes =
        user.apply(
                null,
                new Operation.Ack("acked", token),
                new Operation.Extend("extended", token, 60_000))
            .outcomes();

    assertThat(outcomes)
        .containsExactly(
            new Outcome.OfSettlement(SettleOutcome.DONE),
            new Outcome.OfSettlement(SettleOutcome.DONE));
    assertThat(redis.ask("ZRANGE", KEY + "leased", "0", "-1")).isEqualTo(List.of("extended"));
    assertThat(user.claim(10).messages()).isEmpty();
  }

  /** Without the lease records, a cancel would say "not found" of a message that comes back. */
  @Test
  void leasesRemoved_cancelledMessageDoesNotComeBack() {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("a", 10);
    user.claim(1);
    redis.ask("DEL", KEY + "leases");

    assertThat(rescheduled(user, new Operation.RunNow("a"))).isEqualTo("RUNNING");
    assertThat(rescheduled(user, new Operation.Cancel("a"))).isEqualTo("RUNNING");

    redis.ask("ZADD", KEY + "leased", "0", "a");
    assertThat(user.claim(10).messages()).isEmpty();
    assertThat(await(user.partition().find("a"))).isEmpty();
  }

  @Test
  void leasesRemoved_attemptsGoOn() {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("a", 10);
    long token = user.claim(1).token();
    user.apply(null, new Operation.Retry("a", token, PAST, new byte[] {1}));
    user.claim(1);
    redis.ask("DEL", KEY + "leases");
    redis.ask("ZADD", KEY + "leased", "0", "a");

    Reply.Claimed again = user.claim(1);

    assertThat(again.messages()).singleElement().matches(message -> message.attempt() == 2);
    user.apply(null, new Operation.Ack("a", again.token()));
    assertThat(redis.ask("EXISTS", KEY + "retries")).isEqualTo(0L);
  }
}
