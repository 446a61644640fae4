package io.punctual.migration.copy;

import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.util.List;

/** Copies a store in a separate process, and prints its progress. */
final class CopyProcess {
  private CopyProcess() {}

  /** Copies from the store of the first URL to the store of the second URL. */
  public static void main(String[] urls) {
    // The end of the process ends the timer.
    WheelTimer timer = WheelTimer.create();
    try (Store source = Stores.open(StoreUrl.parse(urls[0]), timer);
        Store target = Stores.open(StoreUrl.parse(urls[1]), timer)) {
      List<CopiedQueue> copied =
          StoreCopy.between(source, target)
              .sourceQueues(SourceQueues.AS_THEY_ARE)
              .targetQueues(TargetQueues.CONTINUE)
              .onProgress(progress -> System.out.println(progress.step()))
              .run();
      System.exit(copied.stream().allMatch(CopiedQueue::isEqual) ? 0 : 1);
    }
  }
}
