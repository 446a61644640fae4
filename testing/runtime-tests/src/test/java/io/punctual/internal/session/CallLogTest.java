package io.punctual.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the numbers of calls, partitions that were rolled back, and the calls that survive a lost
 * session.
 */
class CallLogTest {
  private final CallLog log = new CallLog("client", new Random(1));
  private final List<Pending> unknown = new ArrayList<>();

  private static final class Ignored implements OperationCallback, ClaimCallback {
    @Override
    public void completed(Outcome outcome, long firstSentNanos) {}

    @Override
    public void claimed(Reply.Claimed claimed, long firstSentNanos) {}

    @Override
    public void failed(RuntimeException reason) {}
  }

  /** Counted ids would be equal in two processes that were restored from one image. */
  @Test
  void sessionToOpen_ofClonesAfterTheRestore_differs() {
    CallLog clone = new CallLog("client", new Random(2));

    log.openFailed();
    clone.openFailed();
    assertThat(log.sessionToOpen()).startsWith("client").isEqualTo(log.sessionToOpen());
    assertThat(log.sessionToOpen()).isNotEqualTo(clone.sessionToOpen());
  }

  private static Pending.OfOperation pending(Operation operation) {
    return new Pending.OfOperation(operation, null, new Ignored(), 60);
  }

  private static Pending.OfOperation schedule() {
    return pending(
        new Operation.Schedule(
            "a", DueTime.of(Due.now()), IfPresent.KEEP, Content.of(new byte[0])));
  }

  private static InFlightCall call(String kind) {
    return switch (kind) {
      case "schedule" -> InFlightCall.of(List.of(schedule()));
      case "ack" -> InFlightCall.of(List.of(pending(new Operation.Ack("b", 7))));
      case "both" -> InFlightCall.of(List.of(schedule(), pending(new Operation.Ack("b", 7))));
      case "claim" -> InFlightCall.of(new Pending.OfClaim(new Call.Claim(1, 1000), new Ignored()));
      default -> throw new AssertionError(kind);
    };
  }

  /**
   * Adds a call of this kind. {@code end} determines whether the call is sent, and how the sending
   * ends.
   */
  private InFlightCall sent(String kind, String end) {
    InFlightCall call = call(kind);
    log.add(call);
    if (!end.equals("never sent")) {
      Call unused = log.send(call, 0);
      call.sendingEnded();
      if (end.equals("no reply")) {
        call.unanswered(new IOException("lost"));
      } else if (end.equals("not sent")) {
        call.notSent();
      }
    }
    return call;
  }

  private void startNewSession() {
    log.startNewSession((pending, why) -> unknown.add(pending));
    log.opened(log.sessionToOpen());
  }

  @ParameterizedTest
  @CsvSource({
    "schedule, never sent, 1, 0",
    "schedule, not sent,   1, 0",
    "schedule, no session, 1, 0",
    "schedule, no reply,   0, 1",
    "claim,    never sent, 1, 0",
    "claim,    no session, 1, 0",
    "claim,    no reply,   0, 1",
    "ack,      never sent, 1, 0",
    "ack,      no reply,   1, 0",
    "both,     no session, 2, 0",
    "both,     no reply,   1, 1",
  })
  void lostSession_keepsCallsThatCannotTakeEffectTwice(
      String kind, String end, int kept, int ended) {
    InFlightCall call = sent(kind, end);
    log.noSession();
    startNewSession();
    assertThat(unknown).hasSize(ended);
    assertThat(call.operations().size() + (call.claim() == null ? 0 : 1)).isEqualTo(kept);
    assertThat(log.isEmpty()).isEqualTo(kept == 0);
    assertThat(call.number()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "1, true, 0",
    "2, true, 0",
    "3, false, 0",
  })
  void gap_belowAnAnsweredNumber_isARollBackAndLosesTheSession(
      long expected, boolean isLost, int ended) {
    log.answered(sent("schedule", "reply"));
    log.answered(sent("schedule", "reply"));
    InFlightCall third = sent("schedule", "no reply");
    Call unused = log.send(third, 0);
    third.sendingEnded();
    log.gap(third, expected);
    assertThat(log.isSessionLost()).isEqualTo(isLost);
    if (isLost) {
      startNewSession();
      assertThat(unknown).as("the rolled back partition never ran number 3").hasSize(ended);
      assertThat(log.session()).startsWith("client").isNotEqualTo("client0");
      assertThat(third.number()).isEqualTo(1);
    }
  }

  @Test
  void rollBack_replacesTheOldSession_noSessionDoesNot() {
    log.opened("client0");
    log.answered(sent("schedule", "reply"));
    InFlightCall second = sent("schedule", "not sent");
    Call unused = log.send(second, 0);
    log.gap(second, 1);
    log.startNewSession((pending, why) -> {});
    assertThat(log.sessionToReplace()).isEqualTo("client0");
    log.opened(log.sessionToOpen());
    log.noSession();
    log.startNewSession((pending, why) -> {});
    assertThat(log.sessionToReplace()).isNull();
  }

  @Test
  void send_namesTheLowestNumberWithoutAnswer() {
    InFlightCall first = sent("schedule", "no reply");
    InFlightCall second = sent("ack", "reply");
    Call third = log.send(sent("claim", "never sent"), 0);
    assertThat(third.number()).isEqualTo(3);
    assertThat(third.lowestUnanswered()).isEqualTo(1);
    assertThat(third.repeated()).isFalse();
    log.answered(second);
    Call again = log.send(first, 5);
    assertThat(again.repeated()).isTrue();
    assertThat(again.lowestUnanswered()).isEqualTo(1);
    assertThat(first.firstSentNanos()).isZero();
  }

  @Test
  void nextToSend_afterAFailure_isEveryCallInTheOrderOfItsNumber() {
    InFlightCall first = sent("schedule", "no reply");
    InFlightCall second = sent("claim", "no reply");
    assertThat(log.nextToSend()).isSameAs(first);
    Call unused = log.send(first, 0);
    assertThat(log.nextToSend()).isSameAs(second);
    assertThat(log.isSending()).isTrue();
  }
}
