package io.punctual.cli.command;

import io.punctual.cli.output.Listed;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/**
 * The outcome of a request about a message.
 *
 * @param id the message's id
 * @param outcome the outcome
 */
record RequestOutcome(String id, Enum<?> outcome) implements Listed {
  private String word() {
    return outcome.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  @Override
  public List<String> cells() {
    return List.of(id, word());
  }

  @Override
  public void writeFields(JsonGenerator json) {
    json.writeStringProperty("id", id);
    json.writeStringProperty("outcome", outcome.name());
  }
}
