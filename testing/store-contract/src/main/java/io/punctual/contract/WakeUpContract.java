package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every change that makes the earliest due time of a partition earlier notifies the listeners. */
interface WakeUpContract {
  /**
   * The longest time that a hint may contain for a message that is due now: due times are rounded
   * up to a millisecond.
   */
  Duration AT_ONCE = Duration.ofMillis(1);

  @ParameterizedTest
  @EnumSource
  default void wakeUp_messageBecomesDue_notifiesTheListener(
      EarlierDueTime cause, TestPartition partition) {
    Runnable change = cause.prepare(partition);
    try (WakeUpListener listening = WakeUpListener.to(partition)) {
      change.run();
      listening.awaitHint(AT_ONCE);
    }
  }

  @Test
  default void wakeUp_dueSoonerThanTheRest_notifiesTheListenerInTime(
      TestPartition partition, TestSession session) {
    try (WakeUpListener listening = WakeUpListener.to(partition)) {
      session.schedule("a", new DueTime(true, 20_000));
      listening.awaitHint(Duration.ofMillis(20_001));
    }
  }

  @Test
  default void wakeUp_twoListeners_bothAreTold(TestPartition partition, TestSession session) {
    try (WakeUpListener one = WakeUpListener.to(partition);
        WakeUpListener other = WakeUpListener.to(partition)) {
      session.schedule("a", partition.past());
      one.awaitHint(AT_ONCE);
      other.awaitHint(AT_ONCE);
    }
  }

  @Test
  default void wakeUp_registrationClosed_listenerIsNotTold(
      TestPartition partition, TestSession session) {
    WakeUpListener closed = WakeUpListener.to(partition);
    closed.close();
    closed.close();
    try (WakeUpListener open = WakeUpListener.to(partition)) {
      session.schedule("a", partition.past());
      open.awaitHint(AT_ONCE);
      // Hints that arrived before the close are positive, because their messages were due in the
      // future. A hint about the message "a", which is due already, would be 0.
      assertThat(closed.hints()).allSatisfy(hint -> assertThat(hint).isPositive());
    }
  }

  /** The changes that move the earliest due time of a partition to now. */
  enum EarlierDueTime {
    SCHEDULED_KEEP {
      @Override
      Runnable prepare(TestPartition partition) {
        return () -> partition.session().schedule("a", partition.past());
      }
    },
    SCHEDULED_REJECT {
      @Override
      Runnable prepare(TestPartition partition) {
        return () ->
            partition.session().schedule("a", partition.past(), IfPresent.REJECT, "payload");
      }
    },
    REPLACED {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.session().schedule("a", partition.far());
        return () ->
            partition.session().schedule("a", partition.past(), IfPresent.REPLACE, "payload");
      }
    },
    EARLIEST_WON {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.session().schedule("a", partition.far());
        return () ->
            partition.session().schedule("a", partition.past(), IfPresent.EARLIEST, "payload");
      }
    },
    LEASED_AND_REPLACED {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.session().schedule("a", partition.past());
        partition.session().claimOne();
        return () ->
            partition.session().schedule("a", partition.past(), IfPresent.REPLACE, "payload");
      }
    },
    DEAD_AND_REPLACED {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.session().schedule("a", partition.past());
        partition.session().bury(partition.session().claimOne(), "why");
        return () ->
            partition.session().schedule("a", partition.past(), IfPresent.REPLACE, "payload");
      }
    },
    RETRIED {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.session().schedule("a", partition.past());
        ClaimedMessage held = partition.session().claimOne();
        return () -> partition.session().retry(held, partition.past(), "why");
      }
    },
    RELEASED {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.session().schedule("a", partition.past());
        ClaimedMessage held = partition.session().claimOne();
        return () -> partition.session().release(held);
      }
    },
    REDRIVEN {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.needs(Capability.DEAD_LETTERS);
        partition.session().schedule("a", partition.past());
        partition.session().bury(partition.session().claimOne(), "why");
        return () -> {
          partition.session().redrive("a");
          partition.advance(Duration.ofMillis(1));
        };
      }
    },
    RESCHEDULED {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.needs(Capability.RESCHEDULE);
        partition.session().schedule("a", partition.far());
        return () -> partition.session().reschedule("a", partition.past());
      }
    },
    RUN_NOW {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.needs(Capability.RESCHEDULE);
        partition.session().schedule("a", partition.far());
        return () -> partition.session().runNow("a");
      }
    },
    RESUMED {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.needs(Capability.PAUSE);
        return () -> {
          partition.pause(true);
          partition.session().schedule("a", partition.past());
          partition.pause(false);
        };
      }
    };

    /** Prepares the partition, and returns the change that makes the message due. */
    abstract Runnable prepare(TestPartition partition);
  }
}
