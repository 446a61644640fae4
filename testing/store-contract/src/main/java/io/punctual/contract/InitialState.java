package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.IfPresent;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import java.time.Duration;

/**
 * The initial states of the id {@value #ID} in a partition. Each state begins with a failed
 * attempt, so that a test can check the attempts and the history afterwards, and use an outdated
 * token.
 */
enum InitialState {
  /** Acknowledged, and so removed. */
  ABSENT(false) {
    @Override
    ClaimedMessage arrange(TestPartition partition, TestSession session) {
      failedOnce(partition, session, partition.past());
      ClaimedMessage held = session.claimOne();
      assertThat(session.ack(held)).isEqualTo(SettleOutcome.DONE);
      return held;
    }
  },
  /** Due in an hour. */
  SCHEDULED(false) {
    @Override
    ClaimedMessage arrange(TestPartition partition, TestSession session) {
      return failedOnce(partition, session, partition.far());
    }
  },
  /** Due, and not claimed. */
  READY(false) {
    @Override
    ClaimedMessage arrange(TestPartition partition, TestSession session) {
      return failedOnce(partition, session, partition.past());
    }
  },
  /** Claimed; the lease lasts another hour. */
  LEASED(true) {
    @Override
    ClaimedMessage arrange(TestPartition partition, TestSession session) {
      failedOnce(partition, session, partition.past());
      return session.claimOne();
    }
  },
  /** Claimed; the lease has expired, and no later claim has taken the message. */
  EXPIRED(true) {
    @Override
    ClaimedMessage arrange(TestPartition partition, TestSession session) {
      failedOnce(partition, session, partition.past());
      ClaimedMessage held = session.claimOne(Duration.ofMillis(1));
      partition.advance(Duration.ofMillis(3));
      return held;
    }
  },
  /** Claimed, with an hour of lease left, and then cancelled. */
  MARKED(true) {
    @Override
    ClaimedMessage arrange(TestPartition partition, TestSession session) {
      partition.needs(Capability.CANCEL);
      ClaimedMessage held = LEASED.arrange(partition, session);
      assertThat(session.cancel(ID)).isEqualTo(CancelOutcome.RUNNING);
      return held;
    }
  },
  /** Claimed and cancelled; the lease has expired, and no later claim has run. */
  EXPIRED_MARKED(true) {
    @Override
    ClaimedMessage arrange(TestPartition partition, TestSession session) {
      partition.needs(Capability.CANCEL);
      ClaimedMessage held = EXPIRED.arrange(partition, session);
      assertThat(session.cancel(ID)).isEqualTo(CancelOutcome.RUNNING);
      return held;
    }
  },
  /** Buried. */
  DEAD(false) {
    @Override
    ClaimedMessage arrange(TestPartition partition, TestSession session) {
      failedOnce(partition, session, partition.past());
      ClaimedMessage held = session.claimOne();
      assertThat(session.bury(held, HISTORY)).isEqualTo(SettleOutcome.DONE);
      return held;
    }
  },
  /** Acknowledged, and remembered for an hour. */
  FINISHED(false) {
    @Override
    ClaimedMessage arrange(TestPartition partition, TestSession session) {
      partition.needs(Capability.REMEMBER);
      failedOnce(partition, session, partition.past());
      ClaimedMessage held = session.claimOne();
      assertThat(session.ack(held, TestSession.LONG)).isEqualTo(SettleOutcome.DONE);
      return held;
    }
  };

  static final String ID = "a";
  static final String OLD = "old payload";
  static final String NEW = "new payload";
  static final String HISTORY = "failed before";

  private final boolean leased;

  InitialState(boolean leased) {
    this.leased = leased;
  }

  /** Whether the token of the last lease is still valid. */
  boolean isLeased() {
    return leased;
  }

  /** Whether the message is leased and was cancelled. */
  boolean isMarked() {
    return this == MARKED || this == EXPIRED_MARKED;
  }

  SettleOutcome extended() {
    if (isMarked()) {
      return SettleOutcome.CANCELLED;
    }
    return leased ? SettleOutcome.DONE : SettleOutcome.LEASE_LOST;
  }

  State state() {
    return leased ? State.LEASED : State.valueOf(name());
  }

  /**
   * Creates the message and brings it to this state.
   *
   * @return the message as its last claim returned it
   */
  abstract ClaimedMessage arrange(TestPartition partition, TestSession session);

  private static ClaimedMessage failedOnce(
      TestPartition partition, TestSession session, DueTime again) {
    session.schedule(ID, partition.past(), IfPresent.REJECT, OLD);
    ClaimedMessage held = session.claimOne();
    assertThat(session.retry(held, again, HISTORY)).isEqualTo(SettleOutcome.DONE);
    return held;
  }
}
