package io.punctual.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.RescheduleOutcome;
import io.punctual.Settled;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.LaneCounts;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pause and resume: nothing is claimed meanwhile, and all else goes on. */
interface PauseContract {
  @Test
  default void claim_paused_takesNothingAndHasNothingToWaitFor(TestLane lane, TestSession session) {
    lane.needs(Capability.PAUSE);
    session.schedule("due", lane.past());
    session.schedule("far", lane.far());
    lane.pause(true);
    Reply.Claimed claimed = session.claim(10, TestSession.LONG);
    assertThat(claimed.messages()).isEmpty();
    assertThat(claimed.untilNextMicros()).isEqualTo(Reply.NONE);
    assertThat(session.claim(0, TestSession.LONG).untilNextMicros()).isEqualTo(Reply.NONE);
    assertThat(Stages.await(lane.store().untilNext(List.of(lane.lane()))))
        .containsExactly(Reply.NONE);
    assertThat(lane.counts()).isEqualTo(new LaneCounts(1, 1, 0, 0, true));
  }

  @Test
  default void claim_resumed_takesWhatWaited(TestLane lane, TestSession session) {
    lane.needs(Capability.PAUSE);
    lane.pause(true);
    lane.pause(true);
    session.schedule("b", lane.past(1));
    session.schedule("a", lane.past());
    lane.pause(false);
    lane.pause(false);
    assertThat(session.claimIds()).containsExactly("a", "b");
    assertThat(lane.counts().paused()).isFalse();
  }

  @Test
  default void pause_leasesRunOut_keptUntilResumed(TestLane lane, TestSession session) {
    lane.needs(Capability.PAUSE);
    session.schedule("a", lane.past());
    Held held = session.holdOne(Duration.ofMillis(1));
    lane.pause(true);
    lane.advance(Duration.ofMillis(3));
    assertThat(session.claimIds()).isEmpty();
    assertThat(session.extend(held, Duration.ofMillis(1))).isEqualTo(Settled.DONE);
    lane.pause(false);
    lane.advance(Duration.ofMillis(3));
    assertThat(session.holdOne().attempt()).isEqualTo(2);
  }

  @Test
  default void pause_everythingButClaims_goesOn(TestLane lane, TestSession session) {
    lane.needs(Capability.PAUSE, Capability.CANCEL, Capability.RESCHEDULE);
    List.of("acked", "retried", "released", "buried")
        .forEach(id -> session.schedule(id, lane.past()));
    List<Held> held = session.hold(10, TestSession.LONG);
    lane.pause(true);
    assertThat(held)
        .allSatisfy(one -> assertThat(settle(lane, session, one)).isEqualTo(Settled.DONE));
    session.schedule("new", lane.far());
    session.schedule("cancelled", lane.past());
    assertThat(session.cancel("cancelled")).isEqualTo(CancelOutcome.CANCELLED);
    assertThat(session.reschedule("new", lane.past(-1))).isEqualTo(RescheduleOutcome.RESCHEDULED);
    assertThat(lane.counts()).isEqualTo(new LaneCounts(0, 3, 0, 1, true));
    lane.pause(false);
    assertThat(session.claimIds()).startsWith("new").contains("retried", "released").hasSize(3);
  }

  private static Settled settle(TestLane lane, TestSession session, Held held) {
    return switch (held.id()) {
      case "acked" -> session.ack(held);
      case "retried" -> session.retry(held, lane.past(), "why");
      case "released" -> session.release(held);
      default -> session.bury(held, "why");
    };
  }

  @Test
  default void claim_sentAgainWhilePaused_repeatsWhatIsHeld(TestLane lane, TestSession session) {
    lane.needs(Capability.PAUSE);
    session.schedule("a", lane.past());
    Call.Claim body = new Call.Claim(1, 3_600_000);
    session.send(body);
    lane.pause(true);
    Reply.Claimed again = (Reply.Claimed) session.sendLastAgain(body);
    assertThat(again.messages()).extracting(Reply.Leased::id).containsExactly("a");
  }
}
