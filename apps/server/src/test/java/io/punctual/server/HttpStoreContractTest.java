package io.punctual.server;

import io.punctual.contract.StoreContract;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Runs the contract of a store on the HTTP store of a server in memory. */
@Tag("extended")
final class HttpStoreContractTest extends StoreContract {
  @TempDir static Path folder;

  private final WheelTimer timer = WheelTimer.create();
  private TestServer server;

  @BeforeAll
  void startServer() {
    server = TestServer.start(folder, "");
  }

  @AfterAll
  void stopServer() {
    server.close();
    timer.close();
  }

  @Override
  protected Store openStore() {
    return Stores.open(StoreUrl.parse("http://127.0.0.1:" + server.port()), timer);
  }

  @Override
  protected int manyMessages() {
    return 5_000;
  }
}
