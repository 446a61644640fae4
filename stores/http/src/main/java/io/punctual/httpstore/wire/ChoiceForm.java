package io.punctual.httpstore.wire;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonToken;

/** The form of a sealed interface: an object with the name of the record, and the record. */
final class ChoiceForm extends Form {
  private final String name;
  private final Map<String, Form> byName = new HashMap<>();
  private final Map<Class<?>, Form> byType = new HashMap<>();

  ChoiceForm(Class<?> type) {
    name = type.getSimpleName();
    add(type);
  }

  private void add(Class<?> type) {
    if (type.isSealed()) {
      for (Class<?> each : type.getPermittedSubclasses()) {
        add(each);
      }
      return;
    }
    Form form = Forms.of(type);
    byType.put(type, form);
    if (byName.put(type.getSimpleName(), form) != null) {
      throw new IllegalStateException("Two kinds of " + name + " are " + type.getSimpleName());
    }
  }

  @Override
  void write(JsonGenerator out, Object value) {
    out.writeStartObject();
    out.writeName(value.getClass().getSimpleName());
    Objects.requireNonNull(byType.get(value.getClass())).write(out, value);
    out.writeEndObject();
  }

  @Override
  Object read(Input in) {
    in.expect(JsonToken.START_OBJECT, name);
    if (!in.nextIsNot(JsonToken.END_OBJECT)) {
      throw new UnreadableException(name + " is empty");
    }
    Form form = byName.get(in.parser().currentName());
    if (form == null) {
      throw new UnreadableException(
          name + " is of a kind that this version does not know; use one version at both ends");
    }
    in.parser().nextToken();
    Object value = form.read(in);
    if (in.nextIsNot(JsonToken.END_OBJECT)) {
      throw new UnreadableException(name + " is of two kinds");
    }
    return value;
  }
}
