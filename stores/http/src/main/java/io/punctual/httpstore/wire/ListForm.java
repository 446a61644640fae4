package io.punctual.httpstore.wire;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonToken;

/** The form of a list or a set. */
final class ListForm extends Form {
  private final Form element;
  private final boolean isSet;

  ListForm(Form element, boolean isSet) {
    this.element = element;
    this.isSet = isSet;
  }

  @Override
  void write(JsonGenerator out, Object value) {
    Collection<?> values = (Collection<?>) value;
    out.writeStartArray(values, values.size());
    for (Object each : values) {
      element.write(out, each);
    }
    out.writeEndArray();
  }

  @Override
  Object read(Input in) {
    in.expect(JsonToken.START_ARRAY, "a list");
    Collection<Object> values = isSet ? new LinkedHashSet<>() : new ArrayList<>();
    while (in.nextIsNot(JsonToken.END_ARRAY)) {
      values.add(element.read(in));
      in.bound(values.size());
    }
    return isSet
        ? Collections.unmodifiableSet((Set<?>) values)
        : Collections.unmodifiableList((List<?>) values);
  }

  @Override
  Object absent() {
    return isSet ? Set.of() : List.of();
  }

  @Override
  boolean isAbsent(Object value) {
    return ((Collection<?>) value).isEmpty();
  }
}
