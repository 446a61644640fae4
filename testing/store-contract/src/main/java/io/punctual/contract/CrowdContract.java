package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.TimeRange;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests many messages that are due in the same millisecond. */
interface CrowdContract {
  @Test
  default void crowd_equalDueTimes_listedClaimedAndAckedExactlyOnce(
      TestPartition partition, TestSession session) {
    int count = partition.manyMessages();
    fill(partition, session, count);
    partition.expectCounts(0, count, 0, 0);
    if (partition.has(Capability.FORECAST)) {
      assertThat(
              StoreResults.await(
                  partition.partition().forecast(partition.past().millis() - 1, 1, 3)))
          .containsExactly(0, count, 0);
    }
    if (partition.has(Capability.BROWSE)) {
      expectListedOnce(partition, State.READY, false, count);
      expectListedOnce(partition, State.READY, true, count);
    }
    drain(partition, session, count);
    partition.expectCounts(0, 0, 0, 0);
  }

  private static void fill(TestPartition partition, TestSession session, int count) {
    List<Operation> batch = new ArrayList<>(Partition.MAX_OPERATIONS);
    for (int i = 0; i < count; i++) {
      batch.add(
          TestSession.scheduling(Integer.toString(i), partition.past(), IfPresent.REJECT, ""));
      if (batch.size() == Partition.MAX_OPERATIONS || i == count - 1) {
        session.apply(batch);
        batch.clear();
      }
    }
  }

  private static void expectListedOnce(
      TestPartition partition, State state, boolean newestFirst, int count) {
    EntryQuery query = new EntryQuery(state, TimeRange.ALL, newestFirst, true);
    BitSet seen = new BitSet(count);
    String cursor = null;
    String last = newestFirst ? "~" : "";
    do {
      EntryPage page =
          StoreResults.await(partition.partition().browse(query, cursor, Partition.MAX_PAGE));
      for (Entry entry : page.entries()) {
        if (entry.id().compareTo(last) == 0 || entry.id().compareTo(last) > 0 == newestFirst) {
          throw new AssertionError(entry.id() + " was listed after " + last);
        }
        last = entry.id();
        seen.set(Integer.parseInt(entry.id()));
      }
      cursor = page.next();
    } while (cursor != null);
    assertThat(seen.cardinality()).isEqualTo(count);
  }

  private static void drain(TestPartition partition, TestSession session, int count) {
    BitSet seen = new BitSet(count);
    while (seen.cardinality() < count) {
      Reply.Claimed claimed = session.claim(Partition.MAX_PAGE, TestSession.LONG);
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
    assertThat(partition.session().claimIds()).isEmpty();
  }
}
