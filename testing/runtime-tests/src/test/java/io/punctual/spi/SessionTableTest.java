package io.punctual.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.spi.SessionTable.Admission;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionTableTest {
  private final SessionTable<String> table = new SessionTable<>();

  @Test
  void admit_sessionNeverOpened_isNoSession() {
    assertRefused(call("a", 1, 1), new Reply.NoSession());
  }

  @Test
  void admit_numbersInOrder_areFresh() {
    table.open("a", null);
    carryOut(call("a", 1, 1), "one");
    carryOut(call("a", 2, 1), "two");
  }

  @Test
  void admit_numberSkipped_isGapWithTheExpectedOne() {
    table.open("a", null);
    carryOut(call("a", 1, 1), "one");
    assertRefused(call("a", 3, 1), new Reply.Gap(2));
    carryOut(call("a", 2, 1), "two");
  }

  @Test
  void admit_numberAnsweredBefore_isRepeatedWhateverItsDistance() {
    table.open("a", null);
    for (int number = 1; number <= 5; number++) {
      carryOut(call("a", number, 1), "answer " + number);
    }
    for (int number = 1; number <= 5; number++) {
      assertThat(table.admit(call("a", number, 1)))
          .isEqualTo(new Admission.Repeated<>("answer " + number));
    }
  }

  @Test
  void admit_numberUsedByAnotherClient_isNoSession() {
    table.open("a", null);
    carryOut(call("a", 1, 1), "one");
    carryOut(call("a", 2, 2), "two");
    Call.Apply body = new Call.Apply(List.of(), null);
    assertRefused(new Call("a", 1, 1, body, false), new Reply.NoSession());
    assertRefused(new Call("a", 2, 2, body, false), new Reply.NoSession());
    carryOut(new Call("a", 3, 3, body, false), "three");
  }

  @Test
  void admit_answerSaidToHaveArrived_isForgotten() {
    table.open("a", null);
    carryOut(call("a", 1, 1), "one");
    carryOut(call("a", 2, 1), "two");
    carryOut(call("a", 3, 2), "three");
    assertRefused(call("a", 1, 1), new Reply.Forgotten());
    assertThat(table.admit(call("a", 2, 2))).isEqualTo(new Admission.Repeated<>("two"));
  }

  @Test
  void admit_everythingSaidToHaveArrived_isForgottenAndTheNextIsFresh() {
    table.open("a", null);
    carryOut(call("a", 1, 2), "one");
    assertRefused(call("a", 1, 1), new Reply.Forgotten());
    assertRefused(call("a", 0, 1), new Reply.Forgotten());
    carryOut(call("a", 2, 2), "two");
  }

  @Test
  void admit_notRemembered_isFreshAgain() {
    table.open("a", null);
    assertThat(table.admit(call("a", 1, 1))).isEqualTo(new Admission.Fresh<>());
    assertThat(table.admit(call("a", 1, 1))).isEqualTo(new Admission.Fresh<>());
  }

  @Test
  void remember_notAdmitted_throws() {
    assertThatThrownBy(() -> table.remember(call("a", 1, 1), "one"))
        .isInstanceOf(IllegalStateException.class);
    table.open("a", null);
    assertThatThrownBy(() -> table.remember(call("a", 2, 1), "two"))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void open_again_changesNothing() {
    table.open("a", null);
    carryOut(call("a", 1, 1), "one");
    table.open("a", null);
    table.open("a", "a");
    assertThat(table.admit(call("a", 1, 1))).isEqualTo(new Admission.Repeated<>("one"));
  }

  @Test
  void open_inPlaceOfAnother_endsThatOne() {
    table.open("a", null);
    table.open("b", "a");
    assertRefused(call("a", 1, 1), new Reply.NoSession());
    carryOut(call("b", 1, 1), "one");
  }

  @Test
  void close_open_isNoSession() {
    table.open("a", null);
    table.close("a");
    table.close("a");
    assertRefused(call("a", 1, 1), new Reply.NoSession());
  }

  @Test
  void open_tooMany_forgetsTheOneThatWasQuietForLongest() {
    for (int i = 0; i < SessionTable.MAX_SESSIONS; i++) {
      table.open("s" + i, null);
    }
    carryOut(call("s0", 1, 1), "still here");
    table.open("one more", null);
    assertRefused(call("s1", 1, 1), new Reply.NoSession());
    carryOut(call("s0", 2, 1), "still here");
    carryOut(call("s2", 1, 1), "here too");
  }

  private void carryOut(Call call, String answer) {
    assertThat(table.admit(call)).isEqualTo(new Admission.Fresh<>());
    table.remember(call, answer);
  }

  private void assertRefused(Call call, Reply reply) {
    assertThat(table.admit(call)).isEqualTo(new Admission.Refused<>(reply));
  }

  private static Call call(String session, long number, long lowestUnanswered) {
    return new Call(session, number, lowestUnanswered, new Call.Apply(List.of(), null));
  }
}
