package io.punctual.httpstore.wire;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** The forms of types, by reflection over records and sealed interfaces. Thread-safe. */
final class Forms {
  private static final Map<Type, Form> KNOWN = new ConcurrentHashMap<>(simple());

  private Forms() {}

  private static Map<Type, Form> simple() {
    Map<Type, Form> forms = new HashMap<>();
    Form number =
        new Simple<>(
            0L, "a number", JsonToken.VALUE_NUMBER_INT, JsonGenerator::writeNumber, Forms::number);
    Form small =
        new Simple<>(
            0,
            "a number",
            JsonToken.VALUE_NUMBER_INT,
            JsonGenerator::writeNumber,
            JsonParser::getIntValue);
    Form text =
        new Simple<>(
            "",
            "a text",
            JsonToken.VALUE_STRING,
            JsonGenerator::writeString,
            JsonParser::getString);
    forms.put(long.class, number);
    forms.put(Long.class, new WithoutDefault(number));
    forms.put(int.class, small);
    forms.put(boolean.class, new BooleanForm());
    forms.put(Boolean.class, new WithoutDefault(new BooleanForm()));
    forms.put(String.class, text);
    forms.put(
        byte[].class,
        new Simple<>(
            new byte[0],
            "bytes",
            JsonToken.VALUE_EMBEDDED_OBJECT,
            JsonGenerator::writeBinary,
            JsonParser::getBinaryValue) {
          @Override
          boolean isAbsent(Object value) {
            return ((byte[]) value).length == 0;
          }
        });
    forms.put(
        Duration.class,
        new Simple<>(
            Duration.ZERO,
            "a number",
            JsonToken.VALUE_NUMBER_INT,
            (out, time) -> out.writeNumber(time.toNanos()),
            in -> Duration.ofNanos(in.getLongValue())));
    forms.put(long[].class, new NumbersForm(new ListForm(number, false)));
    forms.put(CompletionStage.class, new PendingForm());
    return forms;
  }

  private static Long number(JsonParser in) {
    return in.getLongValue();
  }

  /**
   * Returns the form of a type.
   *
   * @throws IllegalStateException if values of the type can't be carried
   */
  static Form of(Type type) {
    Form known = KNOWN.get(type);
    if (known == null) {
      known = create(type);
      KNOWN.put(type, known);
    }
    return known;
  }

  private static Form create(Type type) {
    if (type instanceof ParameterizedType generic) {
      Class<?> raw = (Class<?>) generic.getRawType();
      Type[] arguments = generic.getActualTypeArguments();
      if (raw == CompletionStage.class) {
        return of(raw);
      }
      if (raw == List.class || raw == Collection.class || raw == Set.class) {
        return new ListForm(of(arguments[0]), raw == Set.class);
      }
      if (raw == Map.class || raw == SortedMap.class) {
        return new MapForm(key(arguments[0]), of(arguments[1]), raw == SortedMap.class);
      }
      if (raw == Optional.class) {
        return new OptionalForm(of(arguments[0]));
      }
    } else if (type instanceof Class<?> plain) {
      if (plain.isEnum()) {
        return new EnumForm(plain);
      }
      if (plain.isRecord()) {
        return new RecordForm(plain);
      }
      if (plain.isSealed()) {
        return new ChoiceForm(plain);
      }
    }
    throw new IllegalStateException("The wire form carries no values of " + type);
  }

  private static Function<String, Object> key(Type type) {
    if (type == String.class) {
      return text -> text;
    }
    if (type == Integer.class) {
      return Integer::valueOf;
    }
    throw new IllegalStateException("The wire form carries no keys of " + type);
  }

  /** The form of a type that is a single token. */
  private static class Simple<T> extends Form {
    private final T absent;
    private final String what;
    private final JsonToken token;
    private final BiConsumer<JsonGenerator, T> writer;
    private final Function<JsonParser, T> reader;

    Simple(
        T absent,
        String what,
        JsonToken token,
        BiConsumer<JsonGenerator, T> writer,
        Function<JsonParser, T> reader) {
      this.absent = absent;
      this.what = what;
      this.token = token;
      this.writer = writer;
      this.reader = reader;
    }

    @Override
    @SuppressWarnings("unchecked") // The component has the type of this form.
    void write(JsonGenerator out, Object value) {
      writer.accept(out, (T) value);
    }

    @Override
    Object read(Input in) {
      in.expect(token, what);
      return reader.apply(in.parser());
    }

    @Override
    Object absent() {
      return absent;
    }
  }

  /** The form of a boxed value, which must be there. */
  private static final class WithoutDefault extends Form {
    private final Form form;

    WithoutDefault(Form form) {
      this.form = form;
    }

    @Override
    void write(JsonGenerator out, Object value) {
      form.write(out, value);
    }

    @Override
    Object read(Input in) {
      return form.read(in);
    }
  }

  private static final class BooleanForm extends Form {
    @Override
    void write(JsonGenerator out, Object value) {
      out.writeBoolean((Boolean) value);
    }

    @Override
    Object read(Input in) {
      JsonToken token = in.parser().currentToken();
      if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
        throw new UnreadableException("it has " + token + " instead of true or false");
      }
      return token == JsonToken.VALUE_TRUE;
    }

    @Override
    Object absent() {
      return false;
    }
  }

  /** The form of an enum: the name of the constant. */
  private static final class EnumForm extends Form {
    private final String type;
    private final Map<String, Object> constants = new HashMap<>();

    EnumForm(Class<?> type) {
      this.type = type.getSimpleName();
      for (Object each : type.getEnumConstants()) {
        constants.put(((Enum<?>) each).name(), each);
      }
    }

    @Override
    void write(JsonGenerator out, Object value) {
      out.writeString(((Enum<?>) value).name());
    }

    @Override
    Object read(Input in) {
      in.expect(JsonToken.VALUE_STRING, type);
      Object constant = constants.get(in.parser().getString());
      if (constant == null) {
        throw new UnreadableException(
            "it has a " + type + " that this version does not know; use one version at both ends");
      }
      return constant;
    }
  }

  private static final class OptionalForm extends Form {
    private final Form value;

    OptionalForm(Form value) {
      this.value = value;
    }

    @Override
    void write(JsonGenerator out, Object optional) {
      Object present = ((Optional<?>) optional).orElse(null);
      if (present == null) {
        out.writeNull();
      } else {
        value.write(out, present);
      }
    }

    @Override
    Object read(Input in) {
      return in.parser().currentToken() == JsonToken.VALUE_NULL
          ? Optional.empty()
          : Optional.of(value.read(in));
    }

    @Override
    Object absent() {
      return Optional.empty();
    }
  }

  private static final class NumbersForm extends Form {
    private final Form list;

    NumbersForm(Form list) {
      this.list = list;
    }

    @Override
    void write(JsonGenerator out, Object value) {
      list.write(out, Arrays.stream((long[]) value).boxed().toList());
    }

    @Override
    Object read(Input in) {
      return ((List<?>) list.read(in)).stream().mapToLong(each -> (Long) each).toArray();
    }

    @Override
    Object absent() {
      return new long[0];
    }

    @Override
    boolean isAbsent(Object value) {
      return ((long[]) value).length == 0;
    }
  }

  /** The form of a stage: only whether there is one. Its result follows the document. */
  private static final class PendingForm extends Form {
    @Override
    void write(JsonGenerator out, Object value) {
      out.writeBoolean(true);
    }

    @Override
    CompletableFuture<@Nullable Object> read(Input in) {
      in.expect(JsonToken.VALUE_TRUE, "true");
      return new CompletableFuture<>();
    }
  }
}
