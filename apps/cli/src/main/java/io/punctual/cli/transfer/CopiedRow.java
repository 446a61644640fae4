package io.punctual.cli.transfer;

import io.punctual.cli.output.Listed;
import io.punctual.cli.output.Numbers;
import io.punctual.migration.copy.CopiedQueue;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * The result of the copy of a queue.
 *
 * @param queue the result
 */
record CopiedRow(CopiedQueue queue) implements Listed {
  static final String[] LABELS = {
    "QUEUE", "MESSAGES", "REMEMBERED", "STORED", "PRESENT", "DIFFERENT", "PAUSED"
  };

  @Override
  public List<String> cells() {
    return List.of(
        queue.queue(),
        Numbers.grouped(queue.messages()),
        Numbers.grouped(queue.remembered()),
        Numbers.grouped(queue.stored()),
        Numbers.grouped(queue.present()),
        Numbers.grouped(queue.differences()),
        queue.paused() ? "yes" : "no");
  }

  @Override
  public void writeFields(JsonGenerator json) {
    json.writeStringProperty("queue", queue.queue());
    json.writeNumberProperty("messages", queue.messages());
    json.writeNumberProperty("remembered", queue.remembered());
    json.writeNumberProperty("stored", queue.stored());
    json.writeNumberProperty("present", queue.present());
    json.writeNumberProperty("keptDifferent", queue.keptDifferent());
    json.writeNumberProperty("differences", queue.differences());
    json.writeBooleanProperty("paused", queue.paused());
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
