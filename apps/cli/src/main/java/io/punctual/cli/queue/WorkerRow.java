package io.punctual.cli.queue;

import io.punctual.WorkerInfo;
import io.punctual.cli.output.Json;
import io.punctual.cli.output.Listed;
import io.punctual.cli.output.Numbers;
import java.util.List;
import tools.jackson.core.JsonGenerator;

record WorkerRow(WorkerInfo worker) implements Listed {
  static final String[] COLUMNS = {
    "QUEUE", "NAME", "HOST", "PID", "CONCURRENCY", "PAUSED", "VERSION", "STARTED", "LAST SEEN"
  };

  @Override
  public List<String> cells() {
    return List.of(
        worker.queue(),
        worker.name(),
        worker.host(),
        Long.toString(worker.pid()),
        Numbers.grouped(worker.concurrency()),
        worker.isPaused() ? "yes" : "no",
        worker.version(),
        Json.instant(worker.startedAt()),
        Json.instant(worker.lastSeenAt()));
  }

  @Override
  public void writeFields(JsonGenerator json) {
    json.writeStringProperty("queue", worker.queue());
    json.writeStringProperty("name", worker.name());
    json.writeStringProperty("host", worker.host());
    json.writeNumberProperty("pid", worker.pid());
    json.writeNumberProperty("concurrency", worker.concurrency());
    json.writeBooleanProperty("paused", worker.isPaused());
    json.writeStringProperty("version", worker.version());
    json.writeStringProperty("startedAt", Json.instant(worker.startedAt()));
    json.writeStringProperty("lastSeenAt", Json.instant(worker.lastSeenAt()));
  }
}
