package io.punctual.cli.deadletter;

import io.punctual.DeadLetterProgress;
import io.punctual.cli.output.Listed;
import io.punctual.cli.output.Numbers;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * The counts of a change of dead letters.
 *
 * @param participle the name of the change, such as "redriven"
 * @param end the counts at the end
 */
record DeadLettersReport(String participle, DeadLetterProgress end) implements Listed {
  String[] labels() {
    return new String[] {participle, "gone", "refused"};
  }

  @Override
  public List<String> cells() {
    return List.of(Numbers.grouped(end.changed()), some(end.gone()), some(end.refused()));
  }

  private static String some(long count) {
    return count == 0 ? "" : Numbers.grouped(count);
  }

  @Override
  public void writeFields(JsonGenerator json) {
    json.writeNumberProperty(participle, end.changed());
    json.writeNumberProperty("gone", end.gone());
    json.writeNumberProperty("refused", end.refused());
  }
}
