package io.punctual.kit.kill;

import java.io.Serializable;

/**
 * The work of a member of a {@link KillRun}. A role is a record, because the run serializes the
 * role for the process that plays it.
 */
public interface Role extends Serializable {
  /** Works until the work is done, or until the thread is interrupted. */
  void play(Stage stage) throws Exception;

  /** Returns whether the role schedules messages. A run ends these roles first. */
  default boolean produces() {
    return false;
  }

  /** Returns whether {@link #play} ends by itself. A run interrupts the thread of other roles. */
  default boolean endsByItself() {
    return false;
  }
}
