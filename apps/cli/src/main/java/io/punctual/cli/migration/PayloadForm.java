package io.punctual.cli.migration;

import io.punctual.Codec;
import io.punctual.migration.PayloadReader;
import io.punctual.migration.redisson.RedissonPayloads;
import java.util.Iterator;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The form of the payloads in Redisson's entries. */
enum PayloadForm {
  /** Any bytes. */
  BYTES,
  /** UTF-8. */
  STRING,
  /** JSON without the names of classes. */
  JSON,
  /** JSON with the names of classes, which are removed. */
  UNTYPED_JSON;

  PayloadReader<byte[]> reader() {
    return switch (this) {
      case BYTES -> RedissonPayloads.bytes();
      case STRING -> PayloadForm::text;
      case JSON -> RedissonPayloads.json(Codec.bytes());
      case UNTYPED_JSON -> RedissonPayloads.untypedJson(Codec.bytes());
    };
  }

  private static byte[] text(byte[] payload) {
    String unused = Codec.string().decode(payload);
    return payload.clone();
  }

  private String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Parses a form by its name in the help. */
  static final class Converter implements ITypeConverter<PayloadForm> {
    @Override
    public PayloadForm convert(String value) {
      return Stream.of(values())
          .filter(form -> form.word().equals(value.toLowerCase(Locale.ROOT)))
          .findFirst()
          .orElseThrow(
              () -> new TypeConversionException("'" + value + "' is not a form of payloads"));
    }
  }

  /** The names of the forms, for shell completion. */
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Stream.of(values()).map(PayloadForm::word).iterator();
    }
  }
}
