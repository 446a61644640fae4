package io.punctual.kit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.SettleOutcome;
import io.punctual.kit.history.Handlings.Loss;
import io.punctual.kit.history.HistoryEvent.Doubt;
import io.punctual.kit.history.HistoryEvent.SettlementKind;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** An id may be handled again only after a lost lease of this id. */
class HandlingsTest {
  private final Script script = new Script();
  private final ScriptedProcess one = script.process("one");
  private final ScriptedProcess two = script.process("two");

  private Handlings handlings(String... killed) {
    return script.history().handlings(Set.of(killed));
  }

  private void handleAgain() {
    script.at(2000);
    two.handle("a", 2, 2, 0);
    two.ack("a", 2, SettleOutcome.DONE);
  }

  @Test
  void secondHandling_afterAConfirmedAck_isUnexplained() {
    one.handle("a", 1, 1, 0);
    one.ack("a", 1, SettleOutcome.DONE);
    one.handle("b", 1, 1, 0);
    one.ack("b", 1, SettleOutcome.LEASE_LOST);
    handleAgain();
    assertThat(handlings()).isEqualTo(new Handlings(2, 1, Map.of(Loss.REFUSED, 1L), List.of("a")));
  }

  @Test
  void secondHandling_afterTheHolderWasKilled_isExplained() {
    one.handle("a", 1, 1, 0);
    handleAgain();
    assertThat(handlings("one").unexplained()).isEmpty();
    assertThat(handlings("one").leasesLost()).isEqualTo(1);
    assertThat(handlings("one").again()).isEqualTo(1);
  }

  @Test
  void secondHandling_afterAnAckThatMayHaveTakenEffect_isUnexplained() {
    one.handle("a", 1, 1, 0);
    one.failed(one.invoke(SettlementKind.ACK, "a", 1, 0), Doubt.UNKNOWN);
    handleAgain();
    assertThat(handlings().unexplained()).containsExactly("a");
    assertThat(handlings().lost()).isEqualTo(Map.of(Loss.UNCONFIRMED, 1L));
    assertThat(handlings("one").unexplained()).isEmpty();
  }

  @Test
  void thirdHandling_afterASingleLostLease_isUnexplained() {
    one.handle("a", 1, 1, 0);
    one.ack("a", 1, SettleOutcome.LEASE_LOST);
    handleAgain();
    two.handle("a", 3, 1, 0);
    two.ack("a", 3, SettleOutcome.DONE);
    assertThat(handlings().again()).isEqualTo(2);
    assertThat(handlings().unexplained()).containsExactly("a");
  }

  @Test
  void claim_thatNoHandlerReceived_doesNotCount() {
    one.claim("a", 1, 1, 0);
    handleAgain();
    assertThat(handlings("one")).isEqualTo(new Handlings(1, 0, Map.of(), List.of()));
  }
}
