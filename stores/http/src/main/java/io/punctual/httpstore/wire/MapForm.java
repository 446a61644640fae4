package io.punctual.httpstore.wire;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonToken;

/** The form of a map: an object, whose names are the keys as texts. */
final class MapForm extends Form {
  private final Function<String, Object> key;
  private final Form value;
  private final boolean isSorted;

  MapForm(Function<String, Object> key, Form value, boolean isSorted) {
    this.key = key;
    this.value = value;
    this.isSorted = isSorted;
  }

  @Override
  void write(JsonGenerator out, Object map) {
    out.writeStartObject();
    for (Map.Entry<?, ?> each : ((Map<?, ?>) map).entrySet()) {
      out.writeName(each.getKey().toString());
      value.write(out, each.getValue());
    }
    out.writeEndObject();
  }

  @Override
  Object read(Input in) {
    in.expect(JsonToken.START_OBJECT, "a map");
    Map<Object, Object> map = isSorted ? new TreeMap<>() : new LinkedHashMap<>();
    while (in.nextIsNot(JsonToken.END_OBJECT)) {
      Object name = key(in.parser().currentName());
      in.parser().nextToken();
      if (map.put(name, value.read(in)) != null) {
        throw new UnreadableException("a map has a key twice");
      }
      in.bound(map.size());
    }
    return isSorted
        ? Collections.unmodifiableSortedMap((SortedMap<?, ?>) map)
        : Collections.unmodifiableMap(map);
  }

  private Object key(String text) {
    try {
      return key.apply(text);
    } catch (NumberFormatException e) {
      throw new UnreadableException("a key is not a number", e);
    }
  }

  @Override
  Object absent() {
    return isSorted ? new TreeMap<>() : Map.of();
  }

  @Override
  boolean isAbsent(Object map) {
    return ((Map<?, ?>) map).isEmpty();
  }
}
