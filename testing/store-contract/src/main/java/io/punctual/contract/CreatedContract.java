package io.punctual.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.spi.Capability;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the stored time at which a message was created. */
interface CreatedContract {
  /** A pause between two messages that is long enough to be visible on the clock of every store. */
  Duration APART = Duration.ofMillis(20);

  /**
   * How much earlier than the schedule the stored time may be. A store may estimate its server's
   * clock from an earlier reply. If that reply arrived late on a busy machine, the estimate is
   * behind.
   */
  long LATE_MILLIS = 2_000;

  @Test
  default void schedule_newMessages_haveTheTimeOfTheStore(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    partition.advance(APART);
    long before = session.nowMicros() / 1000;
    session.schedule("a", partition.far());
    partition.advance(APART);
    session.apply(
        TestSession.scheduling("b", partition.past(), IfPresent.KEEP, "b"),
        new Operation.Cancel("absent"));
    long after = session.nowMicros() / 1000;
    assertThat(created(partition, "a")).isBetween(before - LATE_MILLIS, after);
    assertThat(created(partition, "b")).isBetween(created(partition, "a") + 1, after);
  }

  @Test
  default void schedule_presentId_keepsTheTimeUnlessItReplaces(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("a", partition.far());
    long first = created(partition, "a");
    partition.advance(APART);
    session.schedule("a", partition.far(), IfPresent.KEEP, "kept");
    session.reschedule("a", partition.past());
    assertThat(created(partition, "a")).isEqualTo(first);
    assertThat(session.schedule("a", partition.far(), IfPresent.REPLACE, "new").outcome())
        .isEqualTo(ScheduleOutcome.REPLACED);
    assertThat(created(partition, "a")).isGreaterThan(first);
  }

  @Test
  default void settlements_thatReturnAMessage_keepTheTime(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("a", partition.past());
    long first = created(partition, "a");
    partition.advance(APART);
    ClaimedMessage held = session.claimOne();
    assertThat(created(held)).isEqualTo(first);
    assertThat(created(partition, "a")).isEqualTo(first);
    assertThat(session.retry(held, partition.past(), "failed")).isEqualTo(SettleOutcome.DONE);
    assertThat(created(partition, "a")).isEqualTo(first);
    assertThat(session.release(session.claimOne())).isEqualTo(SettleOutcome.DONE);
    assertThat(created(partition, "a")).isEqualTo(first);
    assertThat(session.repeat(session.claimOne(), partition.past())).isEqualTo(SettleOutcome.DONE);
    assertThat(created(partition, "a")).isEqualTo(first);
    Content next = content("next").created(first);
    assertThat(session.repeat(session.claimOne(), partition.past(), next))
        .isEqualTo(SettleOutcome.DONE);
    assertThat(created(partition, "a")).isEqualTo(first);
    assertThat(created(session.claimOne())).isEqualTo(first);
  }

  @Test
  default void redrive_deadLetter_keepsTheTime(TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE, Capability.DEAD_LETTERS);
    session.schedule("a", partition.past());
    long first = created(partition, "a");
    partition.advance(APART);
    session.bury(session.claimOne(), "failed");
    assertThat(created(partition, "a")).isEqualTo(first);
    assertThat(session.redrive("a")).isEqualTo(DeadLetterOutcome.DONE);
    assertThat(created(partition, "a")).isEqualTo(first);
  }

  @ParameterizedTest
  @EnumSource(value = IfPresent.class)
  default void schedule_contentWithATime_keepsTheTime(
      IfPresent mode, TestPartition partition, TestSession session) {
    long before = partition.past().millis();
    session.apply(
        new Operation.Schedule("a", partition.past(), mode, content("again").created(before)));
    assertThat(created(session.claimOne())).isEqualTo(before);
  }

  @Test
  default void restore_message_hasTheTimeOfTheOriginal(
      TestPartition partition, TestSession session) {
    long before = partition.past().millis();
    session.apply(
        new Operation.Restore(
            "a", partition.past().millis(), 0, new byte[0], 0, content("a").created(before)));
    assertThat(created(session.claimOne())).isEqualTo(before);
    session.apply(
        new Operation.Restore("b", partition.past().millis(), 0, new byte[0], 0, content("b")));
    assertThat(created(session.claimOne())).isEqualTo(Content.UNKNOWN);
  }

  private static Content content(String payload) {
    return Content.of(payload.getBytes(UTF_8));
  }

  private static long created(ClaimedMessage held) {
    return held.message().content().createdMillis();
  }

  private static long created(TestPartition partition, String id) {
    Content content = partition.entry(id).content();
    assertThat(content).isNotNull();
    return content == null ? Content.UNKNOWN : content.createdMillis();
  }
}
