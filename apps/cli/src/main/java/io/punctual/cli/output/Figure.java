package io.punctual.cli.output;

import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * A number with a name, such as the number of removed messages.
 *
 * @param name the name of the number
 * @param value the number
 */
public record Figure(String name, long value) implements Listed {
  @Override
  public List<String> cells() {
    return List.of(Numbers.grouped(value));
  }

  @Override
  public void writeFields(JsonGenerator json) {
    json.writeNumberProperty(name, value);
  }
}
