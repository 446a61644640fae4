package io.punctual.server.config;

import io.punctual.http.HttpLimits;
import java.time.Duration;

/**
 * The bounds of a server.
 *
 * @param connections how many connections may be open
 * @param polls how many polls may wait
 * @param pollsPerCaller how many polls of one caller may wait
 * @param requestsPerCaller how many requests of one caller may be in flight
 * @param streamsPerCaller how many streams of events one caller may have
 * @param headTime how long the head of a request may take
 * @param bytesPerSecond the least rate of bodies
 * @param idleTime after which a connection without traffic ends
 * @param bodyMemory how many bytes the bodies of all requests in flight may take
 * @param drainTime how long requests in flight have when the server ends
 */
public record LimitsConfig(
    int connections,
    int polls,
    int pollsPerCaller,
    int requestsPerCaller,
    int streamsPerCaller,
    Duration headTime,
    long bytesPerSecond,
    Duration idleTime,
    long bodyMemory,
    Duration drainTime) {
  private static final long LARGEST = 1_000_000;

  /** Returns the part of these limits that the API has. */
  public HttpLimits http() {
    HttpLimits usual = HttpLimits.DEFAULT;
    return new HttpLimits(
        requestsPerCaller,
        pollsPerCaller,
        polls,
        streamsPerCaller,
        usual.payloadBytes(),
        (int) Math.min(usual.bodyBytes(), bodyMemory / 2));
  }

  /** Returns the next limits, but for those that need a restart. */
  LimitsConfig reloaded(LimitsConfig next) {
    return new LimitsConfig(
        next.connections,
        next.polls,
        next.pollsPerCaller,
        next.requestsPerCaller,
        next.streamsPerCaller,
        headTime,
        bytesPerSecond,
        idleTime,
        bodyMemory,
        next.drainTime);
  }

  static LimitsConfig of(Section section) {
    return new LimitsConfig(
        Math.toIntExact(section.number("connections", 20_000, 1, LARGEST)),
        Math.toIntExact(section.number("polls", 20_000, 1, LARGEST)),
        Math.toIntExact(section.number("pollsPerCaller", 1_000, 1, LARGEST)),
        Math.toIntExact(section.number("requestsPerCaller", 5_000, 1, LARGEST)),
        Math.toIntExact(section.number("streamsPerCaller", 16, 1, LARGEST)),
        section.span("headTime", Duration.ofSeconds(10)),
        section.number("bytesPerSecond", 1 << 10, 0, 1 << 30),
        section.span("idleTime", Duration.ofSeconds(90)),
        section.number("bodyMemory", Runtime.getRuntime().maxMemory() / 4, 1 << 20, 1L << 40),
        section.span("drainTime", Duration.ofSeconds(20)));
  }
}
