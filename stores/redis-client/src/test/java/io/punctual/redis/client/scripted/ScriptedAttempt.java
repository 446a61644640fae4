package io.punctual.redis.client.scripted;

import java.util.function.Consumer;

/** An attempt of the client to connect. The test decides about it step by step. */
public final class ScriptedAttempt {
  private final ScriptedLink link;
  private final Runnable made;
  private final Consumer<Throwable> failed;

  ScriptedAttempt(ScriptedLink link, Runnable made, Consumer<Throwable> failed) {
    this.link = link;
    this.made = made;
    this.failed = failed;
  }

  ScriptedLink link() {
    return link;
  }

  /** Makes the connection; it accepts commands at once. */
  public ScriptedLink accept() {
    link.activate();
    made.run();
    return link;
  }

  /** Completes the library's future, before the connection accepts commands. */
  public ScriptedLink completeEarly() {
    made.run();
    return link;
  }

  public void refuse(Throwable failure) {
    failed.accept(failure);
  }
}
