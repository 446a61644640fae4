package io.punctual.internal.claim;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * The caller of a manual claim.
 *
 * @param max the largest number of messages
 * @param waitMillis the time that the caller waits for a message
 * @param silence the time after the wait at which the claim fails if the store does not answer
 * @param prefetch how many messages wait for later claims, at most; 0 for claims at least once
 * @param executor runs the codec, which is user code and may be slow, and completes the result
 */
public record ClaimCaller(
    int max, long waitMillis, Duration silence, int prefetch, Executor executor) {
  /** Returns the time after which a claim without an answer fails. */
  Duration longest() {
    return Duration.ofMillis(waitMillis).plus(silence);
  }
}
