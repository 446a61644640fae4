package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever makes something due sooner tells the listeners. */
interface WakeUpContract {
  /** "Now", rounded up to the next millisecond. */
  Duration AT_ONCE = Duration.ofMillis(1);

  @ParameterizedTest
  @EnumSource
  default void wakeUp_somethingBecomesDue_listenerIsTold(Hurry hurry, TestPartition partition) {
    Runnable change = hurry.prepare(partition);
    try (Listening listening = Listening.to(partition)) {
      change.run();
      listening.awaitHint(AT_ONCE);
    }
  }

  @Test
  default void wakeUp_dueSoonerThanTheRest_listenerIsToldInTime(
      TestPartition partition, TestSession session) {
    try (Listening listening = Listening.to(partition)) {
      session.schedule("a", new DueTime(true, 20_000));
      listening.awaitHint(Duration.ofMillis(20_001));
    }
  }

  @Test
  default void wakeUp_twoListeners_bothAreTold(TestPartition partition, TestSession session) {
    try (Listening one = Listening.to(partition);
        Listening other = Listening.to(partition)) {
      session.schedule("a", partition.past());
      one.awaitHint(AT_ONCE);
      other.awaitHint(AT_ONCE);
    }
  }

  @Test
  default void wakeUp_registrationClosed_listenerIsNotTold(
      TestPartition partition, TestSession session) {
    Listening closed = Listening.to(partition);
    closed.close();
    closed.close();
    try (Listening open = Listening.to(partition)) {
      session.schedule("a", partition.past());
      open.awaitHint(AT_ONCE);
      // Word of what was scheduled to see that it listened may have come before it was closed.
      assertThat(closed.hints()).allSatisfy(hint -> assertThat(hint).isPositive());
    }
  }

  /** What lowers a partition's earliest time to now, and what has to be there before. */
  enum Hurry {
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
        partition.session().holdOne();
        return () ->
            partition.session().schedule("a", partition.past(), IfPresent.REPLACE, "payload");
      }
    },
    DEAD_AND_REPLACED {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.session().schedule("a", partition.past());
        partition.session().bury(partition.session().holdOne(), "why");
        return () ->
            partition.session().schedule("a", partition.past(), IfPresent.REPLACE, "payload");
      }
    },
    RETRIED {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.session().schedule("a", partition.past());
        Held held = partition.session().holdOne();
        return () -> partition.session().retry(held, partition.past(), "why");
      }
    },
    RELEASED {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.session().schedule("a", partition.past());
        Held held = partition.session().holdOne();
        return () -> partition.session().release(held);
      }
    },
    REDRIVEN {
      @Override
      Runnable prepare(TestPartition partition) {
        partition.needs(Capability.DEAD_LETTERS);
        partition.session().schedule("a", partition.past());
        partition.session().bury(partition.session().holdOne(), "why");
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

    /** Prepares the partition, and returns what then makes the message due. */
    abstract Runnable prepare(TestPartition partition);
  }
}
