package io.punctual.httpstore;

import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;

/** A process with a {@link TestServer}, until it is killed. */
final class ServerMain {
  private ServerMain() {}

  /** The arguments are the URL of the store of the server, and a port, 0 for any. */
  public static void main(String[] args) throws InterruptedException {
    WheelTimer timer = WheelTimer.create();
    TestServer server =
        TestServer.of(Stores.open(StoreUrl.parse(args[0]), timer), Integer.parseInt(args[1]));
    System.out.println("ready " + server.port());
    Thread.currentThread().join();
  }
}
