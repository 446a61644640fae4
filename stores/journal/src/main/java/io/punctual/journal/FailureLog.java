package io.punctual.journal;

import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.Disk;
import org.slf4j.Logger;

/** Logs the failure of a journal, once. Safe for use by many threads. */
final class FailureLog {
  private static final Logger log = Logs.of(FailureLog.class);

  private final Disk disk;
  private volatile boolean logged;

  FailureLog(Disk disk) {
    this.disk = disk;
  }

  /**
   * Logs the cause, if no cause was logged before. Called after the journal has failed. Catches
   * whatever the logger throws, because the caller must go on.
   */
  void log(Throwable cause) {
    if (logged) {
      return;
    }
    try {
      log.error("The journal {} has closed for good; restart the process", disk.describe(), cause);
      logged = true;
    } catch (Throwable e) {
      // Each refused call names the cause, and the close of the journal tries again to log it.
    }
  }
}
