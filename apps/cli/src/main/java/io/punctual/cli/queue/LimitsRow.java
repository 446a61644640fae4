package io.punctual.cli.queue;

import io.punctual.QueueLimits;
import io.punctual.cli.input.Rate;
import io.punctual.cli.output.Listed;
import io.punctual.cli.output.Numbers;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonGenerator;

record LimitsRow(QueueLimits limits) implements Listed {
  static final String[] LABELS = {"rate", "burst", "concurrency"};

  private static final String NONE = "no limit";

  /** Returns the limits as a text in one line. */
  static String text(QueueLimits limits) {
    List<String> parts = new ArrayList<>();
    if (limits.hasRate()) {
      parts.add(Rate.format(limits.rate(), limits.per()) + " burst " + limits.burst());
    }
    if (limits.hasConcurrency()) {
      parts.add("concurrency " + limits.concurrency());
    }
    return parts.isEmpty() ? "none" : String.join(", ", parts);
  }

  @Override
  public List<String> cells() {
    return List.of(
        limits.hasRate() ? Rate.format(limits.rate(), limits.per()) : NONE,
        limits.hasRate() ? Numbers.grouped(limits.burst()) : NONE,
        limits.hasConcurrency() ? Numbers.grouped(limits.concurrency()) : NONE);
  }

  @Override
  public void writeFields(JsonGenerator json) {
    json.writeNumberProperty("rate", limits.rate());
    json.writeNumberProperty("perMillis", limits.per().toNanos() / 1e6);
    json.writeNumberProperty("burst", limits.burst());
    json.writeNumberProperty("concurrency", limits.concurrency());
  }
}
