package io.punctual.httpstore.wire;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Makes values of a type in which no component has the default of its type, one value for each
 * record of a sealed interface and for each constant of an enum.
 */
final class Samples {
  private int number = 2;

  private Samples() {}

  static List<Object> of(Type type) {
    return new Samples().all(type);
  }

  private List<Object> all(Type type) {
    if (type instanceof Class<?> sealed && sealed.isSealed() && !sealed.isRecord()) {
      List<Object> values = new ArrayList<>();
      for (Class<?> each : sealed.getPermittedSubclasses()) {
        values.addAll(all(each));
      }
      return values;
    }
    if (type instanceof Class<?> of && of.isEnum()) {
      return List.of(of.getEnumConstants());
    }
    if (type instanceof Class<?> of && of.isRecord()) {
      return records(of);
    }
    return List.of(one(type));
  }

  /** Returns a record for each choice of each component, with the first choice for the others. */
  private List<Object> records(Class<?> type) {
    RecordComponent[] components = type.getRecordComponents();
    List<List<Object>> choices = new ArrayList<>();
    for (RecordComponent each : components) {
      choices.add(all(each.getGenericType()));
    }
    List<Object> values = new ArrayList<>();
    values.add(record(type, choices, -1, 0));
    for (int i = 0; i < components.length; i++) {
      for (int choice = 1; choice < choices.get(i).size(); choice++) {
        values.add(record(type, choices, i, choice));
      }
    }
    return values;
  }

  private static Object record(Class<?> type, List<List<Object>> choices, int changed, int choice) {
    Object[] values = new Object[choices.size()];
    Class<?>[] types = new Class<?>[choices.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = choices.get(i).get(i == changed ? choice : 0);
      types[i] = type.getRecordComponents()[i].getType();
    }
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(type + " " + List.of(values), e);
    }
  }

  private Object one(Type type) {
    if (type instanceof ParameterizedType generic) {
      Type[] of = generic.getActualTypeArguments();
      Class<?> raw = (Class<?>) generic.getRawType();
      if (raw == Optional.class) {
        return Optional.of(all(of[0]).get(0));
      }
      if (raw == SortedMap.class) {
        return new TreeMap<>(Map.of(number++, number++ + 0L));
      }
      if (raw == Map.class) {
        return Map.of("name " + number++, all(of[1]).get(0));
      }
      if (raw == CompletionStage.class) {
        CompletionStage<?> stage = new CompletableFuture<>();
        return stage;
      }
      List<Object> elements = all(of[0]);
      return raw == Set.class ? Set.copyOf(elements) : elements;
    }
    Class<?> plain = (Class<?>) type;
    if (plain == long.class || plain == Long.class) {
      return (long) number++;
    }
    if (plain == int.class) {
      return number++;
    }
    if (plain == boolean.class || plain == Boolean.class) {
      return true;
    }
    if (plain == String.class) {
      return "text ä " + number++;
    }
    if (plain == Duration.class) {
      return Duration.ofMillis(number++);
    }
    if (plain == byte[].class || plain == long[].class) {
      Object array = Array.newInstance(plain.getComponentType(), 3);
      for (int i = 0; i < 3; i++) {
        Array.set(
            array, i, plain == byte[].class ? (Object) (byte) number++ : (Object) (long) number++);
      }
      return array;
    }
    throw new AssertionError("Samples has no value of " + type);
  }
}
