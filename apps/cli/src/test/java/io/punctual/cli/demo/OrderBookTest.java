package io.punctual.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class OrderBookTest {
  private static final Instant DUE = Instant.parse("2026-01-01T00:00:00.500Z");
  private static final Duration LATENESS = Duration.ofMillis(3);

  private final OrderBook book = new OrderBook(3);

  private void deliver(int order, Instant claimedAt) {
    book.delivered(order, claimedAt, LATENESS);
  }

  @Test
  void tally_deliveredOnceInTime_isFaultless() {
    book.scheduled(0, DUE);
    deliver(0, DUE);

    assertThat(book.tally()).isEqualTo(new OrderBook.Tally(1, 0, 1, 0, 0, 0, 0, 0));
    assertThat(book.tally().isFaultless()).isTrue();
  }

  @Test
  void tally_neverDelivered_isLost() {
    book.scheduled(0, DUE);

    assertThat(book.tally().lost()).isOne();
    assertThat(book.tally().isFaultless()).isFalse();
  }

  @Test
  void tally_notConfirmed_isNotLost() {
    assertThat(book.tally().lost()).isZero();
  }

  @Test
  void tally_claimedAMicrosecondTooSoon_isEarly() {
    book.scheduled(0, DUE);
    deliver(0, DUE.minusNanos(1000));

    assertThat(book.tally().early()).isOne();
    assertThat(book.tally().isFaultless()).isFalse();
  }

  @Test
  void tally_deliveredBeforeItsConfirmationArrived_isJudgedByTheConfirmedTime() {
    deliver(0, DUE.minusMillis(1));
    book.scheduled(0, DUE);
    deliver(1, DUE);
    book.scheduled(1, DUE);

    assertThat(book.tally().early()).isOne();
  }

  @Test
  void tally_deliveredTwice_isADuplicate() {
    book.scheduled(0, DUE);
    deliver(0, DUE);
    deliver(0, DUE.plusSeconds(30));

    assertThat(book.tally().duplicates()).isOne();
    assertThat(book.tally().delivered()).isOne();
  }

  @Test
  void tally_deliveredAlthoughCancelled_isADuplicate() {
    book.scheduled(0, DUE);
    book.cancelled(0);
    deliver(0, DUE);

    assertThat(book.tally().duplicates()).isOne();
  }

  @Test
  void tally_maybeCancelled_isNeitherLostNorCancelled() {
    book.scheduled(0, DUE);
    book.maybeCancelled(0);

    assertThat(book.tally()).isEqualTo(new OrderBook.Tally(1, 0, 0, 0, 0, 0, 1, 0));
    assertThat(book.ended()).isOne();
  }

  @Test
  void tally_leftBehind_isAFault() {
    book.leftBehind(1);

    assertThat(book.tally().isFaultless()).isFalse();
  }

  @Test
  void latenessMicros_holdsEveryDelivery() {
    deliver(0, DUE);
    deliver(1, DUE);

    assertThat(book.latenessMicros().getTotalCount()).isEqualTo(2);
    assertThat(book.latenessMicros().getMinValue()).isBetween(2990L, 3010L);
  }
}
