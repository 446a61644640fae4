package io.punctual.memory;

import static io.punctual.memory.PartitionClient.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryStoreTest {
  private final SetClock clock = new SetClock();
  private final MemoryStore store = MemoryStore.builder().clock(clock).partitions(3).build();

  @Test
  void capabilities_areAllThatOneProcessCanHave() {
    assertThat(store.capabilities())
        .isEqualTo(
            EnumSet.complementOf(
                EnumSet.of(Capability.DURABILITY, Capability.TRANSACTIONS, Capability.WORKERS)));
  }

  @Test
  void partitions_askedTwice_areTheSameByIndex() {
    List<Partition> partitions = join(store.partitions("orders"));
    assertThat(partitions).extracting(Partition::index).containsExactly(0, 1, 2);
    assertThat(partitions).extracting(Partition::queue).containsOnly("orders");
    assertThat(join(store.partitions("orders"))).isEqualTo(partitions);
    assertThat(join(store.partitions("others"))).doesNotContainAnyElementsOf(partitions);
  }

  @Test
  void queues_onlyThoseThatHadAMessage_sorted() {
    for (String queue : List.of("b", "a", "never used")) {
      Partition partition = join(store.partitions(queue)).get(2);
      PartitionClient client = new PartitionClient(partition, "s");
      if (!queue.startsWith("never")) {
        client.schedule("m", 0);
        client.claim(1);
      }
    }
    assertThat(join(store.queues())).containsExactly("a", "b");
  }

  @Test
  void untilNext_severalPartitions_answersForEachInOrder() {
    List<Partition> partitions = join(store.partitions("orders"));
    new PartitionClient(partitions.get(0), "s").schedule("now", 0);
    new PartitionClient(partitions.get(2), "s").schedule("later", 5);
    assertThat(join(store.untilNext(partitions))).containsExactly(0, Reply.NONE, 5_000);
    join(partitions.get(0).pause(true));
    assertThat(join(store.untilNext(partitions))).containsExactly(Reply.NONE, Reply.NONE, 5_000);
  }

  @Test
  void close_laterCalls_areNotSent() {
    Partition partition = join(store.partitions("orders")).get(0);
    store.close();
    store.close();
    assertNotSent(() -> join(partition.openSession("s", null)));
    assertNotSent(() -> join(partition.call(new Call("s", 1, 1, new Call.Claim(1, 1)))));
    assertNotSent(() -> join(partition.counts()));
    assertNotSent(() -> join(store.partitions("orders")));
    assertNotSent(() -> join(store.queues()));
    assertNotSent(() -> join(store.untilNext(List.of(partition))));
  }

  @Test
  void partitions_outOfRange_isRefused() {
    for (int partitions : new int[] {-1, 0, MemoryStore.MAX_PARTITIONS + 1}) {
      assertThatThrownBy(() -> MemoryStore.builder().partitions(partitions))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("" + partitions);
    }
  }

  private static void assertNotSent(Runnable call) {
    assertThatThrownBy(call::run).cause().isInstanceOf(Partition.NotSentException.class);
  }
}
