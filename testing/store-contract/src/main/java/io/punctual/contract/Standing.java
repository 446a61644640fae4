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
 * How the id {@value #ID} can stand in a partition. Every one is reached by way of a failed
 * attempt, so that attempts, history and an outdated token are there to be kept or dropped.
 */
enum Standing {
  /** It was there, and was acknowledged. */
  ABSENT(false) {
    @Override
    Held arrange(TestPartition partition, TestSession session) {
      failedOnce(partition, session, partition.past());
      Held held = session.holdOne();
      assertThat(session.ack(held)).isEqualTo(SettleOutcome.DONE);
      return held;
    }
  },
  /** Due in an hour. */
  SCHEDULED(false) {
    @Override
    Held arrange(TestPartition partition, TestSession session) {
      return failedOnce(partition, session, partition.far());
    }
  },
  /** Due, and not claimed. */
  READY(false) {
    @Override
    Held arrange(TestPartition partition, TestSession session) {
      return failedOnce(partition, session, partition.past());
    }
  },
  /** Claimed, with an hour left. */
  LEASED(true) {
    @Override
    Held arrange(TestPartition partition, TestSession session) {
      failedOnce(partition, session, partition.past());
      return session.holdOne();
    }
  },
  /** Claimed; the lease ran out, and nobody has claimed it since. */
  EXPIRED(true) {
    @Override
    Held arrange(TestPartition partition, TestSession session) {
      failedOnce(partition, session, partition.past());
      Held held = session.holdOne(Duration.ofMillis(1));
      partition.advance(Duration.ofMillis(3));
      return held;
    }
  },
  /** Claimed, with an hour left, and then cancelled. */
  MARKED(true) {
    @Override
    Held arrange(TestPartition partition, TestSession session) {
      partition.needs(Capability.CANCEL);
      Held held = LEASED.arrange(partition, session);
      assertThat(session.cancel(ID)).isEqualTo(CancelOutcome.RUNNING);
      return held;
    }
  },
  /** Claimed and cancelled; the lease ran out, and nobody has claimed anything since. */
  EXPIRED_MARKED(true) {
    @Override
    Held arrange(TestPartition partition, TestSession session) {
      partition.needs(Capability.CANCEL);
      Held held = EXPIRED.arrange(partition, session);
      assertThat(session.cancel(ID)).isEqualTo(CancelOutcome.RUNNING);
      return held;
    }
  },
  /** Buried. */
  DEAD(false) {
    @Override
    Held arrange(TestPartition partition, TestSession session) {
      failedOnce(partition, session, partition.past());
      Held held = session.holdOne();
      assertThat(session.bury(held, HISTORY)).isEqualTo(SettleOutcome.DONE);
      return held;
    }
  };

  static final String ID = "a";
  static final String OLD = "old payload";
  static final String NEW = "new payload";
  static final String HISTORY = "failed before";

  private final boolean leased;

  Standing(boolean leased) {
    this.leased = leased;
  }

  /** Whether the token of the last lease is still good. */
  boolean isLeased() {
    return leased;
  }

  State state() {
    return leased ? State.LEASED : State.valueOf(name());
  }

  /**
   * Brings the id to this standing.
   *
   * @return the lease that it was last under
   */
  abstract Held arrange(TestPartition partition, TestSession session);

  private static Held failedOnce(TestPartition partition, TestSession session, DueTime again) {
    session.schedule(ID, partition.past(), IfPresent.REJECT, OLD);
    Held held = session.holdOne();
    assertThat(session.retry(held, again, HISTORY)).isEqualTo(SettleOutcome.DONE);
    return held;
  }
}
