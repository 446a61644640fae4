package io.punctual.internal.delivery;

import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.HandlerLog;

/** Creates contexts of settlements. */
public final class TestSettling {
  private TestSettling() {}

  /** Returns a context for the queue {@code q}, without a watch. */
  public static SettlementContext context(Environment env) {
    return new SettlementContext(
        "q",
        env,
        new HandlerLog("q", env),
        null,
        SettlementContext.SettlementWatch.NONE,
        new Isolation(env));
  }
}
