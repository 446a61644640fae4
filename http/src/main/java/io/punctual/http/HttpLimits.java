package io.punctual.http;

/**
 * How much callers may ask for at once. Immutable.
 *
 * @param requests the largest number of requests of one caller in flight, with its polls
 * @param polls the largest number of waiting polls of one caller
 * @param allPolls the largest number of waiting polls of all callers
 * @param eventStreams the largest number of streams of events of one caller
 * @param payloadBytes the largest payload in bytes
 * @param bodyBytes the largest body with several messages in bytes
 */
public record HttpLimits(
    int requests, int polls, int allPolls, int eventStreams, int payloadBytes, int bodyBytes) {
  /** 5,000 requests, 1,000 polls, 20,000 polls in all, 16 streams, 1 MiB and 64 MiB. */
  public static final HttpLimits DEFAULT =
      new HttpLimits(5_000, 1_000, 20_000, 16, 1 << 20, 64 << 20);

  /**
   * Creates limits.
   *
   * @throws IllegalArgumentException if one is not positive
   */
  public HttpLimits {
    if (Math.min(Math.min(requests, polls), Math.min(allPolls, eventStreams)) < 1
        || Math.min(payloadBytes, bodyBytes) < 1) {
      throw new IllegalArgumentException("Each limit must be at least 1");
    }
  }
}
