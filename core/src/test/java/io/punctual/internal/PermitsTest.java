package io.punctual.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who gets how many permits, and who waits for more. */
class PermitsTest {
  private static final int ANY = 1000;

  private final Permits<String> permits = new Permits<>(16);

  @Test
  void take_nobodyElse_getsAllThatAreFreeUpToTheMost() {
    assertThat(permits.take("a", 1, 5)).isEqualTo(5);
    assertThat(permits.take("a", 8, ANY)).isEqualTo(11);
    assertThat(permits.take("a", 1, ANY)).isZero();
  }

  @Test
  void take_othersInLine_leavesThemAFairShare() {
    assertThat(permits.take("a", 1, ANY)).isEqualTo(16);
    assertThat(permits.take("b", 1, ANY)).isZero();
    assertThat(permits.take("c", 1, ANY)).isZero();
    permits.giveBack(9);
    assertThat(permits.take("d", 1, ANY)).isEqualTo(3);
    assertThat(permits.pollTurn()).contains("b");
    assertThat(permits.take("b", 1, ANY)).isEqualTo(3);
    assertThat(permits.pollTurn()).contains("c");
    assertThat(permits.take("c", 1, ANY)).isEqualTo(3);
    assertThat(permits.pollTurn()).isEmpty();
  }

  @Test
  void take_fewerThanTheLeastAreFree_waitsInLineUntilThatManyAre() {
    assertThat(permits.take("a", 1, 12)).isEqualTo(12);
    assertThat(permits.take("patient", 8, ANY)).isZero();
    assertThat(permits.isAwaitingMore()).isTrue();
    permits.giveBack(3);
    assertThat(permits.pollTurn()).isEmpty();
    permits.giveBack(1);
    assertThat(permits.pollTurn()).contains("patient");
    assertThat(permits.take("patient", 8, ANY)).isEqualTo(8);
    assertThat(permits.isAwaitingMore()).isFalse();
  }

  @Test
  void take_patientOnesInLine_oneThatIsNotTakesItsShareAtOnce() {
    assertThat(permits.take("a", 1, 12)).isEqualTo(12);
    assertThat(permits.take("patient", 8, ANY)).isZero();
    assertThat(permits.take("due now", 1, ANY)).isEqualTo(2);
  }

  @Test
  void take_patientWithOthersInLine_getsTheLeastAllTheSame() {
    assertThat(permits.take("a", 1, ANY)).isEqualTo(16);
    for (int i = 0; i < 7; i++) {
      assertThat(permits.take("lane " + i, 8, ANY)).isZero();
    }
    permits.giveBack(10);
    assertThat(permits.pollTurn()).contains("lane 0");
    assertThat(permits.take("lane 0", 8, ANY)).isEqualTo(8);
    assertThat(permits.pollTurn()).isEmpty();
  }

  @Test
  void hurry_theNextIsContentWithWhatIsFree_theOneAfterItIsNot() {
    assertThat(permits.take("a", 1, 13)).isEqualTo(13);
    assertThat(permits.take("b", 8, ANY)).isZero();
    assertThat(permits.take("c", 8, ANY)).isZero();
    permits.hurry();
    assertThat(permits.pollTurn()).contains("b");
    assertThat(permits.take("b", 8, ANY)).isEqualTo(3);
    permits.giveBack(2);
    assertThat(permits.pollTurn()).isEmpty();
    permits.hurry();
    assertThat(permits.pollTurn()).contains("c");
  }

  @Test
  void hurry_nothingIsFree_theNextPermitIsTheFirstOnes() {
    assertThat(permits.take("a", 1, ANY)).isEqualTo(16);
    assertThat(permits.take("patient", 8, ANY)).isZero();
    permits.hurry();
    assertThat(permits.pollTurn()).isEmpty();
    permits.giveBack(1);
    assertThat(permits.pollTurn()).contains("patient");
    assertThat(permits.take("patient", 8, ANY)).isEqualTo(1);
  }

  @Test
  void hurry_somebodyElseTakesFirst_staysForTheFirstInLine() {
    assertThat(permits.take("a", 1, 14)).isEqualTo(14);
    assertThat(permits.take("patient", 8, ANY)).isZero();
    permits.hurry();
    assertThat(permits.take("due now", 1, ANY)).isEqualTo(1);
    assertThat(permits.pollTurn()).contains("patient");
    assertThat(permits.take("patient", 8, ANY)).isEqualTo(1);
  }

  @Test
  void pollTurn_patientOnesFirstInLine_oneThatIsNotPassesThem() {
    assertThat(permits.take("a", 1, ANY)).isEqualTo(16);
    assertThat(permits.take("patient", 8, ANY)).isZero();
    assertThat(permits.take("due now", 1, ANY)).isZero();
    permits.giveBack(2);
    assertThat(permits.pollTurn()).contains("due now");
    assertThat(permits.take("due now", 1, ANY)).isEqualTo(1);
    assertThat(permits.pollTurn()).isEmpty();
  }

  @Test
  void take_patientWithImpatientOnesInLine_leavesEachAPermit() {
    assertThat(permits.take("a", 1, ANY)).isEqualTo(16);
    assertThat(permits.take("patient", 8, ANY)).isZero();
    assertThat(permits.take("due now", 1, ANY)).isZero();
    permits.giveBack(8);
    assertThat(permits.pollTurn()).contains("patient");
    assertThat(permits.take("patient", 8, ANY)).isEqualTo(7);
    assertThat(permits.pollTurn()).contains("due now");
  }

  @Test
  void leave_firstInLine_theNextIsFirst() {
    assertThat(permits.take("a", 1, ANY)).isEqualTo(16);
    assertThat(permits.take("closed", 8, ANY)).isZero();
    assertThat(permits.take("b", 8, ANY)).isZero();
    permits.leave("closed");
    permits.hurry();
    permits.giveBack(1);
    assertThat(permits.pollTurn()).contains("b");
  }

  @Test
  void hurry_nobodyIsInLine_doesNothingForWhoComesLater() {
    permits.hurry();
    assertThat(permits.take("a", 1, 13)).isEqualTo(13);
    assertThat(permits.take("b", 8, ANY)).isZero();
  }

  @Test
  void takeFree_takesWhatIsThere() {
    assertThat(permits.take("a", 1, 13)).isEqualTo(13);
    assertThat(permits.takeFree(5)).isEqualTo(3);
    assertThat(permits.takeFree(5)).isZero();
  }
}
