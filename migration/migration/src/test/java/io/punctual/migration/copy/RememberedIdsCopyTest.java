package io.punctual.migration.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import io.punctual.migration.copy.CopyProgress.Step;
import io.punctual.migration.message.MessageImage;
import io.punctual.migration.message.PartitionWriter;
import io.punctual.spi.Entry;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RememberedIdsCopyTest extends CopyFixture {
  private void schedule(String id) {
    TimedQueue<String> queue =
        Punctual.builder().store(source).timer(clock).build().queue(QUEUE, Codec.string());
    queue.schedule(Message.of("payload").id(id).dueIn(Duration.ofHours(5)));
  }

  private static void write(Store store, MessageImage... images) {
    PartitionWriter writer = new PartitionWriter(partition(store));
    for (MessageImage image : images) {
      writer.add(image);
    }
    writer.finish();
  }

  @Test
  void run_rememberedIds_areRememberedInTheTarget() {
    long now = clock.instant().toEpochMilli();
    Samples.fill(source, QUEUE, 20, 100, 1, now);
    Samples.remember(source, QUEUE, 1_500, now);
    CopiedQueue copied = copy().run().get(0);
    assertThat(copied.isEqual()).isTrue();
    assertThat(copied.messages()).isEqualTo(20);
    assertThat(copied.remembered()).isEqualTo(1_500);
    assertThat(copied.stored()).isEqualTo(1_520);
    assertThat(steps).doesNotContain(Step.COMPARING);
    Map<String, Entry> original = Samples.all(source, QUEUE);
    assertThat(original).hasSize(1_520);
    Samples.expectSame(Samples.all(target, QUEUE), original);
    TimedQueue<String> queue =
        Punctual.builder().store(target).timer(clock).build().queue(QUEUE, Codec.string());
    assertThat(queue.schedule(Message.of("again").id("done-7")).previous())
        .contains(State.FINISHED);

    assertThatThrownBy(() -> copy().run()).isInstanceOf(CopyRefusedException.class);
    CopiedQueue again = copy().targetQueues(TargetQueues.CONTINUE).run().get(0);
    assertThat(again.isEqual()).isTrue();
    assertThat(again.present()).isEqualTo(1_520);
  }

  @Test
  void run_rememberedIdsDiffer_namesTheDifferences() {
    long now = clock.instant().toEpochMilli();
    Samples.remember(source, QUEUE, 2, now);
    schedule("waits");
    write(
        target,
        new MessageImage("done-1", now + 1_000, 0, new byte[0], 0, null, new byte[0]),
        new MessageImage("waits", now + 1_000, 0, new byte[0], 0, null, new byte[0]),
        new MessageImage("extra", now + 1_000, 0, new byte[0], 0, null, new byte[0]));
    CopiedQueue copied = copy().targetQueues(TargetQueues.CONTINUE).run().get(0);
    assertThat(copied.firstDifferences())
        .extracting(Difference::id, Difference::what)
        .containsExactlyInAnyOrder(
            tuple("done-1", "differs: end of the memory"),
            tuple("waits", "differs: state"),
            tuple("extra", "is not in the source"));
    assertThat(isPaused(target)).isTrue();
  }

  /**
   * The clocks of two stores may differ, and time passes between the readings of the stores. So an
   * id can have expired in only one of the stores.
   */
  @Test
  void run_timeOfRememberedIdsIsOverInOneStore_isNoDifference() {
    long now = clock.instant().toEpochMilli();
    ManualClock ahead = new ManualClock();
    ahead.advance(Duration.between(ahead.instant(), clock.instant().plusSeconds(7_200)));
    Samples.remember(source, QUEUE, 3, now);
    schedule("waits");
    try (Store later = MemoryStore.builder().clock(ahead).build()) {
      CopiedQueue copied =
          StoreCopy.between(source, later).sourceQueues(SourceQueues.AS_THEY_ARE).run().get(0);
      assertThat(copied.isEqual()).as("%s", copied).isTrue();
      assertThat(copied.remembered()).isEqualTo(3);
      assertThat(Samples.all(later, QUEUE)).containsOnlyKeys("waits");
      Samples.remember(later, QUEUE, 1, now + 24 * 3_600_000L);
      CopiedQueue back =
          StoreCopy.between(later, source)
              .sourceQueues(SourceQueues.AS_THEY_ARE)
              .targetQueues(TargetQueues.CONTINUE)
              .run()
              .get(0);
      assertThat(back.firstDifferences()).extracting(Difference::id).containsExactly("done-0");
    }
  }
}
