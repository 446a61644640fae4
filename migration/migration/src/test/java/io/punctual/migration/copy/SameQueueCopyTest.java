package io.punctual.migration.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.spi.Store;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** Tests a copy whose source and target are the same queue, under two names of its store. */
final class SameQueueCopyTest extends CopyFixture {
  private static Store otherNameOf(Store store) {
    return (Store)
        Proxy.newProxyInstance(
            SameQueueCopyTest.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> method.invoke(store, arguments));
  }

  @Test
  void run_continued_leavesTheQueueAsItWas() {
    Samples.fill(source, QUEUE, 10, 1, 1, clock.instant().toEpochMilli());

    CopiedQueue copied =
        StoreCopy.between(source, otherNameOf(source))
            .sourceQueues(SourceQueues.AS_THEY_ARE)
            .targetQueues(TargetQueues.CONTINUE)
            .run()
            .get(0);

    assertThat(copied.isEqual()).isTrue();
    assertThat(copied.paused()).isFalse();
    assertThat(isPaused(source)).isFalse();
  }
}
