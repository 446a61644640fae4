package io.punctual.httpstore.wire;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonToken;
import tools.jackson.core.io.SerializedString;

/** The form of a record: an object of its components by name. */
final class RecordForm extends Form {
  private final Class<?> type;
  private final List<Part> parts = new ArrayList<>();
  private final Map<String, Integer> places = new HashMap<>();
  private final MethodHandle constructor;

  private record Part(
      String name, SerializedString written, Form form, boolean isNullable, MethodHandle getter) {
    @Nullable Object of(Object value) {
      try {
        return (Object) getter.invokeExact(value);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    }

    boolean isAbsent(@Nullable Object value) {
      return value == null || (!isNullable && form.isAbsent(value));
    }
  }

  RecordForm(Class<?> type) {
    this.type = type;
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    try {
      for (int i = 0; i < components.length; i++) {
        RecordComponent component = components[i];
        types[i] = component.getType();
        places.put(component.getName(), i);
        parts.add(
            new Part(
                component.getName(),
                new SerializedString(component.getName()),
                Forms.of(component.getGenericType()),
                component.getAnnotatedType().isAnnotationPresent(Nullable.class),
                lookup
                    .unreflect(component.getAccessor())
                    .asType(MethodType.methodType(Object.class, Object.class))));
      }
      constructor =
          lookup
              .findConstructor(type, MethodType.methodType(void.class, types))
              .asSpreader(Object[].class, types.length)
              .asType(MethodType.methodType(Object.class, Object[].class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type + " has no public constructor", e);
    }
  }

  @Override
  void write(JsonGenerator out, Object value) {
    out.writeStartObject();
    for (Part part : parts) {
      Object each = part.of(value);
      if (!part.isAbsent(each)) {
        out.writeName(part.written());
        part.form().write(out, Objects.requireNonNull(each));
      }
    }
    out.writeEndObject();
  }

  @Override
  Object read(Input in) {
    in.expect(JsonToken.START_OBJECT, name());
    @Nullable Object[] values = new @Nullable Object[parts.size()];
    while (in.nextIsNot(JsonToken.END_OBJECT)) {
      Integer place = places.get(in.parser().currentName());
      JsonToken begin = in.parser().nextToken();
      if (place == null) {
        skip(in);
      } else if (values[place] != null) {
        throw new UnreadableException(name() + " has '" + parts.get(place).name() + "' twice");
      } else if (begin != JsonToken.VALUE_NULL) {
        values[place] = parts.get(place).form().read(in);
      }
    }
    return create(values);
  }

  private void skip(Input in) {
    if (in.isStrict()) {
      throw new UnreadableException(
          name()
              + " has a part that this version does not know; let the server have the version of"
              + " its clients or a newer one");
    }
    in.parser().skipChildren();
  }

  private Object create(@Nullable Object[] values) {
    for (int i = 0; i < values.length; i++) {
      Part part = parts.get(i);
      if (values[i] == null && !part.isNullable()) {
        values[i] = part.form().absent();
        if (values[i] == null) {
          throw new UnreadableException(name() + " has no '" + part.name() + "'");
        }
      }
    }
    try {
      return (Object) constructor.invokeExact(values);
    } catch (IllegalArgumentException | NullPointerException | ArithmeticException e) {
      throw new UnreadableException(name() + " is not valid: " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private String name() {
    return type.getSimpleName();
  }
}
