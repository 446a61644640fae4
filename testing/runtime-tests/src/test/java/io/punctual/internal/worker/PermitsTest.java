package io.punctual.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests how claimers share permits, and which claimers wait for more permits. */
class PermitsTest {
  private static final int ANY = 1000;

  private final Permits<String> permits = new Permits<>(16);

  private void handlersHold(int count) {
    assertThat(permits.take("earlier", 1, count)).isEqualTo(count);
  }

  @Test
  void take_nobodyElse_getsAllThatAreFreeUpToTheMost() {
    assertThat(permits.take("a", 1, 5)).isEqualTo(5);
    assertThat(permits.take("a", 8, ANY)).isEqualTo(11);
    assertThat(permits.take("a", 1, ANY)).isZero();
  }

  @Test
  void take_othersInLine_leavesThemAFairShare() {
    handlersHold(16);
    assertThat(permits.take("b", 1, ANY)).isZero();
    assertThat(permits.take("c", 1, ANY)).isZero();
    permits.add(9);
    assertThat(permits.take("d", 1, ANY)).isEqualTo(3);
    assertThat(permits.pollTurn()).contains("b");
    assertThat(permits.take("b", 1, ANY)).isEqualTo(3);
    assertThat(permits.pollTurn()).contains("c");
    assertThat(permits.take("c", 1, ANY)).isEqualTo(3);
    assertThat(permits.pollTurn()).isEmpty();
  }

  @Test
  void take_fewerThanTheLeastAreFree_waitsInLineUntilThatManyAre() {
    handlersHold(12);
    assertThat(permits.take("large", 8, ANY)).isZero();
    assertThat(permits.isAwaitingMore()).isTrue();
    permits.add(3);
    assertThat(permits.pollTurn()).isEmpty();
    permits.add(1);
    assertThat(permits.pollTurn()).contains("large");
    assertThat(permits.take("large", 8, ANY)).isEqualTo(8);
    assertThat(permits.isAwaitingMore()).isFalse();
  }

  @Test
  void take_largeOnesInLine_aSmallOneTakesItsShareAtOnce() {
    handlersHold(12);
    assertThat(permits.take("large", 8, ANY)).isZero();
    assertThat(permits.take("due now", 1, ANY)).isEqualTo(2);
  }

  @Test
  void take_largeWithLargeOnesInLine_getsTheLeastAllTheSame() {
    handlersHold(16);
    for (int i = 0; i < 7; i++) {
      assertThat(permits.take("partition " + i, 8, ANY)).isZero();
    }
    permits.add(10);
    assertThat(permits.pollTurn()).contains("partition 0");
    assertThat(permits.take("partition 0", 8, ANY)).isEqualTo(8);
    assertThat(permits.pollTurn()).isEmpty();
  }

  @Test
  void take_largeWhileOneThatWasIsInFlight_waitsForItsEnd() {
    assertThat(permits.take("first", 8, 8)).isEqualTo(8);
    permits.beginLargeClaim();
    assertThat(permits.take("large", 8, ANY)).isZero();
    assertThat(permits.isAwaitingMore()).isTrue();
    assertThat(permits.pollTurn()).isEmpty();
    assertThat(permits.take("due now", 1, 0)).isZero();
    assertThat(permits.pollTurn()).contains("due now");
    permits.endLargeClaim();
    assertThat(permits.pollTurn()).contains("large");
    assertThat(permits.take("large", 8, ANY)).isEqualTo(8);
  }

  @Test
  void acceptFewer_aLargeClaimIsInFlight_theFirstInLineGoesAllTheSame() {
    assertThat(permits.take("stuck", 8, 8)).isEqualTo(8);
    permits.beginLargeClaim();
    assertThat(permits.take("large", 8, ANY)).isZero();
    permits.acceptFewer();
    assertThat(permits.pollTurn()).contains("large");
    assertThat(permits.take("large", 8, ANY)).isEqualTo(8);
  }

  @Test
  void acceptFewer_theNextIsContentWithWhatIsFree_theOneAfterItIsNot() {
    handlersHold(13);
    assertThat(permits.take("b", 8, ANY)).isZero();
    assertThat(permits.take("c", 8, ANY)).isZero();
    permits.acceptFewer();
    assertThat(permits.pollTurn()).contains("b");
    assertThat(permits.take("b", 8, ANY)).isEqualTo(3);
    permits.add(2);
    assertThat(permits.pollTurn()).isEmpty();
    permits.acceptFewer();
    assertThat(permits.pollTurn()).contains("c");
  }

  @Test
  void acceptFewer_nothingIsFree_theNextPermitIsTheFirstOnes() {
    handlersHold(16);
    assertThat(permits.take("large", 8, ANY)).isZero();
    permits.acceptFewer();
    assertThat(permits.pollTurn()).isEmpty();
    permits.add(1);
    assertThat(permits.pollTurn()).contains("large");
    assertThat(permits.take("large", 8, ANY)).isEqualTo(1);
  }

  @Test
  void acceptFewer_somebodyElseTakesFirst_staysForTheFirstInLine() {
    handlersHold(14);
    assertThat(permits.take("large", 8, ANY)).isZero();
    permits.acceptFewer();
    assertThat(permits.take("due now", 1, ANY)).isEqualTo(1);
    assertThat(permits.pollTurn()).contains("large");
    assertThat(permits.take("large", 8, ANY)).isEqualTo(1);
  }

  @Test
  void pollTurn_largeOnesFirstInLine_oneThatIsNotPassesThem() {
    handlersHold(16);
    assertThat(permits.take("large", 8, ANY)).isZero();
    assertThat(permits.take("due now", 1, ANY)).isZero();
    permits.add(2);
    assertThat(permits.pollTurn()).contains("due now");
    assertThat(permits.take("due now", 1, ANY)).isEqualTo(1);
    assertThat(permits.pollTurn()).isEmpty();
  }

  @Test
  void take_largeWithSmallOnesInLine_leavesEachAPermit() {
    handlersHold(16);
    assertThat(permits.take("large", 8, ANY)).isZero();
    assertThat(permits.take("due now", 1, ANY)).isZero();
    permits.add(8);
    assertThat(permits.pollTurn()).contains("large");
    assertThat(permits.take("large", 8, ANY)).isEqualTo(7);
    assertThat(permits.pollTurn()).contains("due now");
  }

  @Test
  void leave_firstInLine_theNextIsFirst() {
    handlersHold(16);
    assertThat(permits.take("closed", 8, ANY)).isZero();
    assertThat(permits.take("b", 8, ANY)).isZero();
    permits.leave("closed");
    permits.acceptFewer();
    permits.add(1);
    assertThat(permits.pollTurn()).contains("b");
  }

  @Test
  void acceptFewer_nobodyIsInLine_doesNothingForWhoComesLater() {
    permits.acceptFewer();
    handlersHold(13);
    assertThat(permits.take("b", 8, ANY)).isZero();
  }

  @Test
  void takeFree_takesWhatIsThere() {
    handlersHold(13);
    assertThat(permits.takeFree(5)).isEqualTo(3);
    assertThat(permits.takeFree(5)).isZero();
  }
}
