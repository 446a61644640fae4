package io.punctual.internal.message;

import java.util.Locale;
import java.util.Set;

/**
 * The headers by which tracing passes its context on. A schedule can have put them into a message
 * that is due weeks later, and the trace of the schedule must not stay open for that time. So a
 * bridge leaves them out, and the consumer begins a new trace.
 */
public final class TraceHeaders {
  private static final Set<String> NAMES = Set.of("traceparent", "tracestate", "baggage", "b3");
  private static final String B3_PREFIX = "x-b3-";

  private TraceHeaders() {}

  /** Returns whether a header of this name has the context of a trace; the case does not matter. */
  public static boolean includes(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return NAMES.contains(lower) || lower.startsWith(B3_PREFIX);
  }
}
