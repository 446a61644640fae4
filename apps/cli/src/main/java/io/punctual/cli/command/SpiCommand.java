package io.punctual.cli.command;

import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;

/** A command that calls a {@link Store} directly, without the client {@code Punctual}. */
public abstract class SpiCommand extends StoreUrlCommand {
  /** Does the command's work and returns its exit code. */
  public abstract int run(Store opened) throws Exception;

  @Override
  public final int execute() throws Exception {
    WheelTimer timer = WheelTimer.create();
    try (Store opened = open(timer)) {
      return run(opened);
    } finally {
      timer.close();
    }
  }

  private Store open(WheelTimer timer) {
    try {
      return Stores.open(StoreUrl.parse(url()), timer);
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }
}
