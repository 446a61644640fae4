package io.punctual.httpstore;

import io.punctual.contract.StoreClock;
import io.punctual.contract.StoreContract;
import io.punctual.journal.JournalStore;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.test.ManualClock;
import io.punctual.timer.WheelTimer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Runs the contract of a store on a server with a journal. */
final class HttpStoreContractTest extends StoreContract {
  @TempDir static Path folder;

  private final ManualClock clock = new ManualClock();
  private final WheelTimer timer = WheelTimer.create();
  private TestServer server;

  @BeforeAll
  void startServer() {
    server =
        TestServer.of(
            JournalStore.builder(folder.resolve("journal"))
                .clock(clock)
                .segmentBytes(1 << 20)
                .open(),
            clock);
  }

  @AfterAll
  void stopServer() {
    server.close();
    timer.close();
  }

  @Override
  protected Store openStore() {
    return Stores.open(StoreUrl.parse(server.url()), timer);
  }

  @Override
  protected StoreClock storeClock(Store store) {
    return StoreClock.of(clock);
  }

  @Override
  protected int manyMessages() {
    return 10_000;
  }
}
