package io.punctual.cli.transfer;

import io.punctual.cli.output.Fields;
import io.punctual.migration.copy.CopiedQueue;
import tools.jackson.core.JsonGenerator;

/** The result of the copy of a queue. */
final class CopiedRow {
  static final Fields<CopiedQueue> FIELDS =
      new Fields<CopiedQueue>()
          .text("queue", CopiedQueue::queue)
          .number("messages", CopiedQueue::messages)
          .number("remembered", CopiedQueue::remembered)
          .number("stored", CopiedQueue::stored)
          .number("present", CopiedQueue::present)
          .json("keptDifferent", CopiedQueue::keptDifferent)
          .number("different", "differences", CopiedQueue::differences)
          .flag("paused", CopiedQueue::paused)
          .json(CopiedRow::writeDifferences);

  private CopiedRow() {}

  private static void writeDifferences(JsonGenerator json, CopiedQueue queue) {
    json.writeArrayPropertyStart("firstDifferences");
    queue
        .firstDifferences()
        .forEach(
            difference -> {
              json.writeStartObject();
              json.writeStringProperty("id", difference.id());
              json.writeStringProperty("what", difference.what());
              json.writeEndObject();
            });
    json.writeEndArray();
  }
}
