package io.punctual.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Lane;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A crowd of messages that are all due in the same millisecond. */
interface CrowdContract {
  @Test
  default void crowd_equalDueTimes_listedClaimedAndAckedExactlyOnce(
      TestLane lane, TestSession session) {
    int count = lane.manyMessages();
    fill(lane, session, count);
    lane.expectCounts(0, count, 0, 0);
    if (lane.has(Capability.FORECAST)) {
      assertThat(Stages.await(lane.lane().forecast(lane.past().millis() - 1, 1, 3)))
          .containsExactly(0, count, 0);
    }
    if (lane.has(Capability.BROWSE)) {
      expectListedOnce(lane, State.READY, count);
    }
    drain(lane, session, count);
    lane.expectCounts(0, 0, 0, 0);
  }

  private static void fill(TestLane lane, TestSession session, int count) {
    List<Operation> batch = new ArrayList<>(Lane.MAX_OPERATIONS);
    for (int i = 0; i < count; i++) {
      batch.add(TestSession.scheduling(Integer.toString(i), lane.past(), IfPresent.REJECT, ""));
      if (batch.size() == Lane.MAX_OPERATIONS || i == count - 1) {
        session.apply(batch);
        batch.clear();
      }
    }
  }

  private static void expectListedOnce(TestLane lane, State state, int count) {
    BitSet seen = new BitSet(count);
    String cursor = null;
    String last = "";
    do {
      EntryPage page = Stages.await(lane.lane().browse(state, cursor, Lane.MAX_PAGE));
      for (Entry entry : page.entries()) {
        if (entry.id().compareTo(last) <= 0) {
          throw new AssertionError(entry.id() + " was listed after " + last);
        }
        last = entry.id();
        seen.set(Integer.parseInt(entry.id()));
      }
      cursor = page.next();
    } while (cursor != null);
    assertThat(seen.cardinality()).isEqualTo(count);
  }

  private static void drain(TestLane lane, TestSession session, int count) {
    BitSet seen = new BitSet(count);
    while (seen.cardinality() < count) {
      Reply.Claimed claimed = session.claim(Lane.MAX_PAGE, TestSession.LONG);
      assertThat(claimed.messages()).isNotEmpty();
      List<Operation> acks = new ArrayList<>();
      for (Reply.Leased message : claimed.messages()) {
        int index = Integer.parseInt(message.id());
        if (seen.get(index)) {
          throw new AssertionError(index + " was claimed twice");
        }
        seen.set(index);
        acks.add(new Operation.Ack(message.id(), claimed.token()));
      }
      assertThat(claimed.untilNextMicros() == 0).isEqualTo(seen.cardinality() < count);
      session.apply(acks);
    }
    assertThat(lane.session().claimIds()).isEmpty();
  }
}
