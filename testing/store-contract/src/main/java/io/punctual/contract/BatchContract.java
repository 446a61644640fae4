package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests calls with many operations of the same kind, which have different outcomes. */
interface BatchContract {
  @Test
  default void schedule_manyOfAllModesAndSomeKnown_eachHasItsOutcome(
      TestPartition partition, TestSession session) {
    Set<Integer> known = Set.of(0, 1, 2, 3, 250, 333, 499);
    known.forEach(i -> session.schedule("id " + i, partition.past()));
    List<IfPresent> modes = List.of(IfPresent.values());
    List<Operation> batch = new ArrayList<>();
    List<ScheduleOutcome> expected = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      IfPresent mode = modes.get(i % modes.size());
      batch.add(TestSession.scheduling("id " + i, partition.far(), mode, "new " + i));
      expected.add(known.contains(i) ? ofKnown(mode) : ScheduleOutcome.STORED);
    }
    Reply.Applied applied = session.apply(batch);
    assertThat(applied.outcomes())
        .extracting(outcome -> ((Outcome.OfSchedule) outcome).outcome())
        .isEqualTo(expected);
    long replaced = expected.stream().filter(ScheduleOutcome.REPLACED::equals).count();
    int ready = known.size() - (int) replaced;
    partition.expectCounts(500 - ready, ready, 0, 0);
    expectTheSameAgain(session, batch, applied);
  }

  private static ScheduleOutcome ofKnown(IfPresent mode) {
    return switch (mode) {
      case KEEP, EARLIEST -> ScheduleOutcome.KEPT;
      case REJECT -> ScheduleOutcome.REJECTED;
      case REPLACE -> ScheduleOutcome.REPLACED;
    };
  }

  @Test
  default void ack_manyOfSeveralClaimsAndSomeGivenBack_eachHasItsOutcome(
      TestPartition partition, TestSession session) {
    session.apply(
        IntStream.range(0, 600)
            .mapToObj(i -> TestSession.scheduling("id " + i, partition.past(), IfPresent.KEEP, ""))
            .toList());
    List<List<ClaimedMessage>> claims = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      claims.add(session.hold(200, TestSession.LONG));
    }
    List<ClaimedMessage> interleaved = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      for (List<ClaimedMessage> claim : claims) {
        interleaved.add(claim.get(i));
      }
    }
    List<ClaimedMessage> givenBack =
        List.of(
            interleaved.get(0), interleaved.get(300), interleaved.get(301), interleaved.get(599));
    givenBack.forEach(held -> assertThat(session.release(held)).isEqualTo(SettleOutcome.DONE));

    List<Operation> acks =
        interleaved.stream().<Operation>map(h -> new Operation.Ack(h.id(), h.token())).toList();
    Reply.Applied applied = session.apply(acks);
    assertThat(applied.outcomes())
        .extracting(outcome -> ((Outcome.OfSettlement) outcome).outcome())
        .isEqualTo(
            interleaved.stream()
                .map(
                    held ->
                        givenBack.contains(held) ? SettleOutcome.LEASE_LOST : SettleOutcome.DONE)
                .toList());
    partition.expectCounts(0, givenBack.size(), 0, 0);
    expectTheSameAgain(session, acks, applied);
    partition.expectCounts(0, givenBack.size(), 0, 0);
  }

  private static void expectTheSameAgain(
      TestSession session, List<Operation> operations, Reply.Applied applied) {
    Reply again = session.sendLastAgain(new Call.Apply(operations, null));
    assertThat(again).isInstanceOf(Reply.Applied.class);
    assertThat(((Reply.Applied) again).outcomes()).isEqualTo(applied.outcomes());
  }
}
