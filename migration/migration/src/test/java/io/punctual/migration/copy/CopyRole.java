package io.punctual.migration.copy;

import io.punctual.kit.kill.Role;
import io.punctual.kit.kill.Stage;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.util.List;

/** Copies from the store of the run to the store of a URL, and prints the steps. */
record CopyRole(String to) implements Role {
  @Override
  public void play(Stage stage) {
    // The end of the process ends the timer, whose thread does not keep the process running.
    WheelTimer timer = WheelTimer.create();
    try (Store source = Stores.open(StoreUrl.parse(stage.url()), timer);
        Store target = Stores.open(StoreUrl.parse(to), timer)) {
      List<CopiedQueue> copied =
          StoreCopy.between(source, target)
              .sourceQueues(SourceQueues.AS_THEY_ARE)
              .targetQueues(TargetQueues.CONTINUE)
              .onProgress(progress -> System.out.println(progress.step()))
              .run();
      if (!copied.stream().allMatch(CopiedQueue::isEqual)) {
        throw new IllegalStateException("The copies differ: " + copied);
      }
    }
  }
}
