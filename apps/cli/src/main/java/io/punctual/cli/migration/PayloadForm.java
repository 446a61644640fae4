package io.punctual.cli.migration;

import io.punctual.Codec;
import io.punctual.cli.output.EnumNames;
import io.punctual.migration.PayloadReader;
import io.punctual.migration.redisson.RedissonPayloads;

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

  static final class Names extends EnumNames.Hyphenated<PayloadForm> {
    Names() {
      super("a form of payloads", values());
    }
  }
}
