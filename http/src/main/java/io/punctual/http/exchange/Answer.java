package io.punctual.http.exchange;

import java.util.Map;

/**
 * An answer.
 *
 * @param status the HTTP status
 * @param headers the headers but for the length, with their usual names
 * @param body the body
 * @param written what to do after the answer: {@link Written#NOTHING} for most
 */
public record Answer(int status, Map<String, String> headers, Body body, Written written) {
  /**
   * Headers that each answer has, unless it has others of their names: whatever a browser is led to
   * open, it shows no content as a page, runs nothing, and puts nothing into a frame.
   */
  public static final Map<String, String> HARMLESS =
      Map.of(
          "X-Content-Type-Options",
          "nosniff",
          "Content-Security-Policy",
          "default-src 'none'; frame-ancestors 'none'",
          "Cross-Origin-Resource-Policy",
          "same-origin");

  /** Learns whether an answer was written. */
  @FunctionalInterface
  public interface Written {
    /** Does nothing. */
    Written NOTHING = success -> {};

    /**
     * Called once, after the last byte was handed to the network or the write failed.
     *
     * @param success whether the answer was written
     */
    void done(boolean success);
  }

  /** The body of an answer. */
  public sealed interface Body {}

  /** A body that is there as a whole. */
  public record Bytes(byte[] content) implements Body {}

  /** A body that is written while it arises, such as server-sent events. */
  @FunctionalInterface
  public non-sealed interface Stream extends Body {
    /** Begins to send to the sink, and returns at once. */
    void start(Sink sink);
  }
}
