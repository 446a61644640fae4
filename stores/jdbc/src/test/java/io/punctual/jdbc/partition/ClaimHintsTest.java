package io.punctual.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.embedded.EngineTime;
import io.punctual.embedded.WakeUps;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ClaimHintsTest {
  private static final long NOW_MILLIS = 1_000_000;
  private static final EngineTime NOW = new EngineTime(NOW_MILLIS * 1000);

  private final WakeUps wakeUps = new WakeUps();
  private final List<Long> here = new ArrayList<>();
  private final List<Long> elsewhere = new ArrayList<>();
  private final ClaimHints hints =
      new ClaimHints("orders", wakeUps, (queue, until) -> elsewhere.add(until));

  @BeforeEach
  void listen() {
    wakeUps.add(here::add);
  }

  private static Reply.Claimed claimed(long untilNextMicros) {
    return new Reply.Claimed(List.of(), List.of(), 1, NOW.micros(), untilNextMicros);
  }

  private void claim(long untilNextMicros) {
    hints.claimBegins();
    hints.claimEnded(claimed(untilNextMicros));
    here.clear();
  }

  @Test
  void changed_laterThanTheNextClaim_wakesUpOnlyOtherProcesses() {
    claim(5_000);
    hints.changed(NOW_MILLIS + 6, NOW);
    assertThat(here).isEmpty();
    assertThat(elsewhere).containsExactly(6_000L);
  }

  @Test
  void changed_earlierThanTheNextClaim_wakesUpThisProcess() {
    claim(5_000);
    hints.changed(NOW_MILLIS + 4, NOW);
    assertThat(here).containsExactly(4_000L);
  }

  /**
   * The claim may have looked at the messages before the change, and its reply may name no time.
   */
  @Test
  void changed_duringAClaim_wakesUpThisProcess() {
    claim(5_000);
    hints.claimBegins();
    hints.changed(NOW_MILLIS + 6, NOW);
    hints.claimEnded(claimed(Reply.NONE));
    assertThat(here).containsExactly(6_000L);
  }

  @Test
  void changed_afterAFailedClaim_comparesWithTheLastReply() {
    claim(5_000);
    hints.claimBegins();
    hints.claimEnded(null);
    hints.changed(NOW_MILLIS + 6, NOW);
    assertThat(here).isEmpty();
    hints.changed(NOW_MILLIS + 4, NOW);
    assertThat(here).containsExactly(4_000L);
  }

  @Test
  void changed_noMessageCanBeClaimed_sendsNothing() {
    hints.claimBegins();
    hints.changed(Long.MAX_VALUE, NOW);
    assertThat(here).isEmpty();
    assertThat(elsewhere).isEmpty();
  }

  @Test
  void claimEnded_withAnEarlierTime_wakesUpThisProcess() {
    claim(5_000);
    hints.claimBegins();
    hints.claimEnded(claimed(3_000));
    assertThat(here).containsExactly(3_000L);
  }
}
