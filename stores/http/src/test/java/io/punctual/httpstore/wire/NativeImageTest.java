package io.punctual.httpstore.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests that a native image knows all types that the wire form reads by reflection. */
final class NativeImageTest {
  private static final String FILE =
      "/META-INF/native-image/io.punctual/punctual-http-store/reflect-config.json";

  private final SortedSet<String> names = new TreeSet<>();

  private void add(Type type) {
    if (type instanceof ParameterizedType generic) {
      for (Type each : generic.getActualTypeArguments()) {
        add(each);
      }
    } else if (type instanceof GenericArrayType array) {
      add(array.getGenericComponentType());
    } else if (type instanceof Class<?> plain
        && plain.getName().startsWith("io.punctual.")
        && names.add(plain.getName())) {
      if (plain.isRecord()) {
        for (RecordComponent each : plain.getRecordComponents()) {
          add(each.getGenericType());
        }
      } else if (plain.isSealed()) {
        for (Class<?> each : plain.getPermittedSubclasses()) {
          add(each);
        }
      }
    }
  }

  @Test
  void everyTypeOfTheWireForm_hasAHint() throws IOException, ClassNotFoundException {
    add(Request.class);
    Requests.all().forEach(each -> add(Requests.answer(each)));
    add(Failure.class);
    add(Class.forName(Wire.class.getName() + "$Confirmation"));
    String expected =
        names.stream()
            .map(
                name ->
                    """
                    {
                      "name": "%s",
                      "allDeclaredConstructors": true,
                      "allDeclaredMethods": true,
                      "allRecordComponents": true,
                      "allPermittedSubclasses": true
                    }\
                    """
                        .formatted(name))
            .collect(Collectors.joining(",\n", "[\n", "\n]\n"));
    try (InputStream file = Objects.requireNonNull(getClass().getResourceAsStream(FILE))) {
      assertThat(new String(file.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(expected);
    }
  }
}
