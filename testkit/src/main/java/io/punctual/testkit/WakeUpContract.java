package io.punctual.testkit;

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
  default void wakeUp_somethingBecomesDue_listenerIsTold(Hurry hurry, TestLane lane) {
    Runnable change = hurry.prepare(lane);
    try (Listening listening = Listening.to(lane)) {
      change.run();
      listening.awaitHint(AT_ONCE);
    }
  }

  @Test
  default void wakeUp_dueSoonerThanTheRest_listenerIsToldInTime(
      TestLane lane, TestSession session) {
    try (Listening listening = Listening.to(lane)) {
      session.schedule("a", new DueTime(true, 20_000));
      listening.awaitHint(Duration.ofMillis(20_001));
    }
  }

  @Test
  default void wakeUp_twoListeners_bothAreTold(TestLane lane, TestSession session) {
    try (Listening one = Listening.to(lane);
        Listening other = Listening.to(lane)) {
      session.schedule("a", lane.past());
      one.awaitHint(AT_ONCE);
      other.awaitHint(AT_ONCE);
    }
  }

  @Test
  default void wakeUp_registrationClosed_listenerIsNotTold(TestLane lane, TestSession session) {
    Listening closed = Listening.to(lane);
    closed.close();
    closed.close();
    try (Listening open = Listening.to(lane)) {
      session.schedule("a", lane.past());
      open.awaitHint(AT_ONCE);
      // Word of what was scheduled to see that it listened may have come before it was closed.
      assertThat(closed.hints()).allSatisfy(hint -> assertThat(hint).isPositive());
    }
  }

  /** What lowers a lane's earliest time to now, and what has to be there before. */
  enum Hurry {
    SCHEDULED_KEEP {
      @Override
      Runnable prepare(TestLane lane) {
        return () -> lane.session().schedule("a", lane.past());
      }
    },
    SCHEDULED_REJECT {
      @Override
      Runnable prepare(TestLane lane) {
        return () -> lane.session().schedule("a", lane.past(), IfPresent.REJECT, "payload");
      }
    },
    REPLACED {
      @Override
      Runnable prepare(TestLane lane) {
        lane.session().schedule("a", lane.far());
        return () -> lane.session().schedule("a", lane.past(), IfPresent.REPLACE, "payload");
      }
    },
    EARLIEST_WON {
      @Override
      Runnable prepare(TestLane lane) {
        lane.session().schedule("a", lane.far());
        return () -> lane.session().schedule("a", lane.past(), IfPresent.EARLIEST, "payload");
      }
    },
    LEASED_AND_REPLACED {
      @Override
      Runnable prepare(TestLane lane) {
        lane.session().schedule("a", lane.past());
        lane.session().holdOne();
        return () -> lane.session().schedule("a", lane.past(), IfPresent.REPLACE, "payload");
      }
    },
    DEAD_AND_REPLACED {
      @Override
      Runnable prepare(TestLane lane) {
        lane.session().schedule("a", lane.past());
        lane.session().bury(lane.session().holdOne(), "why");
        return () -> lane.session().schedule("a", lane.past(), IfPresent.REPLACE, "payload");
      }
    },
    RETRIED {
      @Override
      Runnable prepare(TestLane lane) {
        lane.session().schedule("a", lane.past());
        Held held = lane.session().holdOne();
        return () -> lane.session().retry(held, lane.past(), "why");
      }
    },
    RELEASED {
      @Override
      Runnable prepare(TestLane lane) {
        lane.session().schedule("a", lane.past());
        Held held = lane.session().holdOne();
        return () -> lane.session().release(held);
      }
    },
    REDRIVEN {
      @Override
      Runnable prepare(TestLane lane) {
        lane.needs(Capability.DEAD_LETTERS);
        lane.session().schedule("a", lane.past());
        lane.session().bury(lane.session().holdOne(), "why");
        return () -> {
          lane.session().redrive("a");
          lane.advance(Duration.ofMillis(1));
        };
      }
    },
    RESCHEDULED {
      @Override
      Runnable prepare(TestLane lane) {
        lane.needs(Capability.RESCHEDULE);
        lane.session().schedule("a", lane.far());
        return () -> lane.session().reschedule("a", lane.past());
      }
    },
    RUN_NOW {
      @Override
      Runnable prepare(TestLane lane) {
        lane.needs(Capability.RESCHEDULE);
        lane.session().schedule("a", lane.far());
        return () -> lane.session().runNow("a");
      }
    },
    RESUMED {
      @Override
      Runnable prepare(TestLane lane) {
        lane.needs(Capability.PAUSE);
        return () -> {
          lane.pause(true);
          lane.session().schedule("a", lane.past());
          lane.pause(false);
        };
      }
    };

    /** Prepares the lane, and returns what then makes the message due. */
    abstract Runnable prepare(TestLane lane);
  }
}
