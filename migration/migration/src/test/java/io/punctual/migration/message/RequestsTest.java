package io.punctual.migration.message;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.OutcomeUnknownException;
import io.punctual.PunctualException;
import io.punctual.spi.Partition;
import org.junit.jupiter.api.Test;

/** Tests which exceptions end the repetitions of a request. */
class RequestsTest {
  @Test
  void storeGivesNoAnswer_untilAMinuteHasPassed_isToldFromOtherFailures() {
    PunctualException lost = new PunctualException("the connection is lost");

    assertThatCode(() -> Requests.throwIfFinal("A page", lost, false)).doesNotThrowAnyException();
    assertThatThrownBy(() -> Requests.throwIfFinal("A page", lost, true))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessage("A page got no answer for a minute: the connection is lost");
  }

  @Test
  void storeAnswersForAMinute_withoutDoingIt_isNoMissingAnswer() {
    PunctualException busy = new Requests.NotDoneException("a transaction is open");

    assertThatCode(() -> Requests.throwIfFinal("A page", busy, false)).doesNotThrowAnyException();
    assertThatThrownBy(() -> Requests.throwIfFinal("A page", busy, true))
        .isExactlyInstanceOf(PunctualException.class)
        .hasMessage("A page failed for a minute: a transaction is open");
  }

  @Test
  void storeRefuses_endsAtOnce() {
    Partition.PartitionException refusal = new Partition.PartitionException("no right", null);

    assertThatThrownBy(() -> Requests.throwIfFinal("A page", refusal, false))
        .isExactlyInstanceOf(PunctualException.class)
        .hasMessage("A page was refused: no right");
  }

  @Test
  void error_isNotTakenForAMissingAnswer() {
    assertThatThrownBy(() -> Requests.throwIfFinal("A page", new StackOverflowError(), false))
        .hasMessage("A page failed: StackOverflowError");
  }
}
