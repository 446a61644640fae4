package io.punctual.memory;

import static io.punctual.memory.LaneClient.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Lane;
import io.punctual.spi.Reply;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryStoreTest {
  private final SetClock clock = new SetClock();
  private final MemoryStore store = MemoryStore.builder().clock(clock).lanes(3).build();

  @Test
  void capabilities_areAllButDurability() {
    assertThat(store.capabilities())
        .isEqualTo(EnumSet.complementOf(EnumSet.of(Capability.DURABILITY)));
  }

  @Test
  void lanes_askedTwice_areTheSameByIndex() {
    List<Lane> lanes = join(store.lanes("orders"));
    assertThat(lanes).extracting(Lane::index).containsExactly(0, 1, 2);
    assertThat(lanes).extracting(Lane::queue).containsOnly("orders");
    assertThat(join(store.lanes("orders"))).isEqualTo(lanes);
    assertThat(join(store.lanes("others"))).doesNotContainAnyElementsOf(lanes);
  }

  @Test
  void queues_onlyThoseThatHadAMessage_sorted() {
    for (String queue : List.of("b", "a", "never used")) {
      Lane lane = join(store.lanes(queue)).get(2);
      LaneClient client = new LaneClient(lane, "s");
      if (!queue.startsWith("never")) {
        client.schedule("m", 0);
        client.claim(1);
      }
    }
    assertThat(join(store.queues())).containsExactly("a", "b");
  }

  @Test
  void untilNext_severalLanes_answersForEachInOrder() {
    List<Lane> lanes = join(store.lanes("orders"));
    new LaneClient(lanes.get(0), "s").schedule("now", 0);
    new LaneClient(lanes.get(2), "s").schedule("later", 5);
    assertThat(join(store.untilNext(lanes))).containsExactly(0, Reply.NONE, 5_000);
    join(lanes.get(0).pause(true));
    assertThat(join(store.untilNext(lanes))).containsExactly(Reply.NONE, Reply.NONE, 5_000);
  }

  @Test
  void close_laterCalls_areNotSent() {
    Lane lane = join(store.lanes("orders")).get(0);
    store.close();
    store.close();
    assertNotSent(() -> join(lane.openSession("s", null)));
    assertNotSent(() -> join(lane.call(new Call("s", 1, 1, new Call.Claim(1, 1)))));
    assertNotSent(() -> join(lane.counts()));
    assertNotSent(() -> join(store.lanes("orders")));
    assertNotSent(() -> join(store.queues()));
    assertNotSent(() -> join(store.untilNext(List.of(lane))));
  }

  @Test
  void lanes_outOfRange_isRefused() {
    for (int lanes : new int[] {-1, 0, MemoryStore.MAX_LANES + 1}) {
      assertThatThrownBy(() -> MemoryStore.builder().lanes(lanes))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("" + lanes);
    }
  }

  private static void assertNotSent(Runnable call) {
    assertThatThrownBy(call::run).cause().isInstanceOf(Lane.NotSentException.class);
  }
}
