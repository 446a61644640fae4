package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests that look-ups show the session that holds a lease. */
interface LeaseHolderContract {
  @Test
  default void claim_twoSessions_eachLeaseHasItsHolder(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    TestSession other = partition.newSession();
    session.schedule("a", partition.past());
    session.schedule("b", partition.past(1));
    session.schedule("c", partition.far());
    session.claim(1, TestSession.LONG);
    other.claim(1, TestSession.LONG);
    assertThat(partition.entry("a").holder()).isEqualTo(session.id());
    assertThat(partition.entry("b").holder()).isEqualTo(other.id());
    assertThat(partition.entry("c").holder()).isNull();
    assertThat(partition.browse(State.LEASED, 10))
        .extracting(Entry::holder)
        .containsExactlyInAnyOrder(session.id(), other.id());
    assertThat(partition.browse(State.LEASED, 1, false))
        .extracting(Entry::holder)
        .containsExactlyInAnyOrder(session.id(), other.id());
  }

  @Test
  default void settlement_endOfTheLease_hasNoHolder(TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("a", partition.past());
    assertThat(session.release(session.claimOne())).isEqualTo(SettleOutcome.DONE);
    assertThat(partition.entry("a").holder()).isNull();
    assertThat(session.retry(session.claimOne(), partition.past(), "failed"))
        .isEqualTo(SettleOutcome.DONE);
    assertThat(partition.entry("a").holder()).isNull();
    ClaimedMessage held = session.claimOne();
    assertThat(session.extend(held, TestSession.LONG)).isEqualTo(SettleOutcome.DONE);
    assertThat(partition.entry("a").holder()).isEqualTo(session.id());
    if (partition.has(Capability.DEAD_LETTERS)) {
      assertThat(session.bury(held, "failed")).isEqualTo(SettleOutcome.DONE);
      assertThat(partition.entry("a").holder()).isNull();
    }
  }

  @Test
  default void cancel_leasedMessage_keepsTheHolderAndTheLease(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    session.cancel("a");
    Entry entry = partition.entry("a");
    assertThat(entry.holder()).isEqualTo(session.id());
    assertThat(entry.attempts()).isEqualTo(1);
    assertThat(entry.cancelled()).isTrue();
    assertThat(session.ack(held)).isEqualTo(SettleOutcome.DONE);
  }

  @Test
  default void claim_expiredLease_hasTheNewHolder(TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("a", partition.past());
    session.claim(1, Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(20));
    TestSession other = partition.newSession();
    ClaimedMessage held = other.claimOne();
    Entry entry = partition.entry("a");
    assertThat(entry.holder()).isEqualTo(other.id());
    assertThat(entry.dueMillis()).isEqualTo(partition.past().millis());
    assertThat(entry.attempts()).isEqualTo(2);
    assertThat(other.ack(held)).isEqualTo(SettleOutcome.DONE);
  }
}
