package io.punctual.cli.journal;

import io.punctual.cli.output.Console;
import io.punctual.cli.output.Listed;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.OutputFormat;
import io.punctual.journal.report.SalvagedSegment;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * The records that a repair keeps of a damaged segment.
 *
 * @param segment the segment
 */
record SalvagedRow(SalvagedSegment segment) implements Listed {
  static void list(Console console, OutputFormat format, List<SalvagedSegment> all) {
    try (Listing listing =
        new Listing(
            console,
            format,
            "FILE",
            "LOST BYTES",
            "KEPT MESSAGES",
            "KEPT CHANGES",
            "KEPT REMOVALS")) {
      all.forEach(segment -> listing.add(new SalvagedRow(segment)));
      listing.end();
    }
  }

  private boolean isKnown() {
    return segment.lostBytes() != SalvagedSegment.UNKNOWN;
  }

  @Override
  public List<String> cells() {
    return List.of(
        segment.file(),
        isKnown() ? Numbers.grouped(segment.lostBytes()) : "unknown",
        Numbers.grouped(segment.messages()),
        Numbers.grouped(segment.states()),
        Numbers.grouped(segment.removals()));
  }

  @Override
  public void writeFields(JsonGenerator json) {
    json.writeStringProperty("file", segment.file());
    if (isKnown()) {
      json.writeNumberProperty("lostBytes", segment.lostBytes());
    } else {
      json.writeNullProperty("lostBytes");
    }
    json.writeNumberProperty("keptMessages", segment.messages());
    json.writeNumberProperty("keptChanges", segment.states());
    json.writeNumberProperty("keptRemovals", segment.removals());
  }
}
