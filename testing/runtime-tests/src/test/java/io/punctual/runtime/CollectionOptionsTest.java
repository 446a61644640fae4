package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.collection.DelayedElements;
import io.punctual.collection.DueQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Tests that the takes of a collection view have the options of the view. */
class CollectionOptionsTest {
  private static final ClaimOptions NEVER = ClaimOptions.DEFAULT.policy(RetryPolicy.never());

  @Test
  void dueQueue_policyOfTheView_decidesAboutAnUndecodablePayload() {
    undecodableMessage_isBuried(queue -> DueQueue.of(queue, NEVER));
  }

  @Test
  void delayedElements_policyOfTheView_decidesAboutAnUndecodablePayload() {
    undecodableMessage_isBuried(queue -> DelayedElements.of(queue, NEVER));
  }

  private static void undecodableMessage_isBuried(
      Function<TimedQueue<Element>, BlockingQueue<Element>> view) {
    try (ManualWorld world = new ManualWorld()) {
      TimedQueue<Element> queue = world.punctual.queue("elements", new Unreadable());
      queue.schedule(Message.of(new Element()).id("1"));
      assertThat(view.apply(queue).poll()).isNull();
      await().untilAsserted(() -> assertThat(queue.counts().dead()).isEqualTo(1));
    }
  }

  private record Element() implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return 0;
    }

    @Override
    public int compareTo(Delayed other) {
      return 0;
    }
  }

  private static final class Unreadable implements Codec<Element> {
    @Override
    public byte[] encode(Element element) {
      return new byte[0];
    }

    @Override
    public Element decode(byte[] bytes) {
      throw new IllegalStateException("no element");
    }
  }
}
