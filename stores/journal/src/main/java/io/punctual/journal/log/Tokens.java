package io.punctual.journal.log;

import io.punctual.embedded.PartitionRules;
import java.util.concurrent.TimeUnit;

/**
 * Creates fencing tokens. Each is greater than all earlier tokens, also of earlier runs: no token
 * exceeds the ceiling that is safe in the journal. The ceiling is raised ahead of need, so that a
 * claim hardly ever waits for it. For the journal's thread alone.
 */
public final class Tokens {
  private static final long AHEAD = TimeUnit.MINUTES.toMicros(1);

  private final Log log;
  private long last;
  private long ceiling;
  private long startCeiling;
  private long safeCeiling;

  public Tokens(Log log) {
    this.log = log;
  }

  /** Begins above the tokens that an earlier run may have given; the ceiling is not written yet. */
  public void start(long recoveredCeiling, long nowMicros) {
    last = recoveredCeiling;
    ceiling = next(nowMicros) + AHEAD;
    startCeiling = ceiling;
  }

  /** The ceiling has been written with the first segment of this run. */
  public void started() {
    safeCeiling = Math.max(safeCeiling, startCeiling);
  }

  public long ceiling() {
    return ceiling;
  }

  /** Whether a token can be given now; if not, {@link #raise} and wait. */
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
            // No token beyond the old ceiling is ever given then.
          }
        });
  }

  private long next(long nowMicros) {
    return PartitionRules.nextToken(last, nowMicros);
  }
}
