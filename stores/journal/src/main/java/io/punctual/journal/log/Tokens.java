package io.punctual.journal.log;

import io.punctual.embedded.PartitionRules;
import java.util.concurrent.TimeUnit;

/**
 * Creates fencing tokens. Each token is greater than all earlier tokens, including those of earlier
 * runs: no token exceeds a ceiling that is stored in the journal, and a new run begins above the
 * stored ceiling. The ceiling is raised ahead of need, so that a claim rarely waits for the disk.
 * For the journal's thread alone.
 */
public final class Tokens {
  private static final long AHEAD = TimeUnit.MINUTES.toMicros(1);

  private final RecordLog log;
  private long last;
  private long ceiling;
  private long startCeiling;
  private long safeCeiling;

  public Tokens(RecordLog log) {
    this.log = log;
  }

  /**
   * Makes all new tokens greater than the tokens that an earlier run may have created. The new
   * ceiling is not stored yet.
   */
  public void start(long recoveredCeiling, long nowMicros) {
    last = recoveredCeiling;
    ceiling = next(nowMicros) + AHEAD;
    startCeiling = ceiling;
  }

  /** Called once the first segment of this run, which has the new ceiling, is safely stored. */
  public void started() {
    safeCeiling = Math.max(safeCeiling, startCeiling);
  }

  public long ceiling() {
    return ceiling;
  }

  /**
   * Whether {@link #take} may create a token now. If the ceiling is near, this method also starts
   * to raise it. If the result is false, the claim must wait until the ceiling is safely stored.
   */
  public boolean isReady(long nowMicros) {
    long token = next(nowMicros);
    if (token > ceiling - AHEAD / 2) {
      raise(nowMicros);
    }
    return token <= safeCeiling;
  }

  public long take(long nowMicros) {
    last = next(nowMicros);
    return last;
  }

  private void raise(long nowMicros) {
    long raised = Math.max(ceiling, next(nowMicros) + AHEAD);
    ceiling = raised;
    log.records().marks(log.nextSequence(), raised);
    log.whenSafe(
        new Frame.Confirmation() {
          @Override
          public void confirmed() {
            safeCeiling = Math.max(safeCeiling, raised);
          }

          @Override
          public void failed(RuntimeException why) {
            // The journal failed. No token beyond the old ceiling is created.
          }
        });
  }

  private long next(long nowMicros) {
    return PartitionRules.nextToken(last, nowMicros);
  }
}
