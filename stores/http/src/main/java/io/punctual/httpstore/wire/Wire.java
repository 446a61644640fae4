package io.punctual.httpstore.wire;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.dataformat.cbor.CBORFactory;

/** Writes values as documents, and reads them. Stateless, so safe for use by many threads. */
public final class Wire {
  /** The version of the wire form, which is part of the path of each request. */
  public static final String VERSION = "v1";

  /** The largest body of a request, in bytes. */
  public static final int MAX_BODY = 64 << 20;

  /** The media type of a document. */
  public static final String TYPE = "application/cbor";

  /** The media type of a document with its length before it, and a second document after it. */
  public static final String TYPE_OF_TWO = "application/vnd.punctual.two-documents";

  private static final CBORFactory CBOR =
      CBORFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(32)
                  .maxNumberLength(32)
                  .maxNameLength(128 << 10)
                  .build())
          .build();

  /** The type of the second document: why a durability is not certain, or empty if it is. */
  public static final Type CONFIRMATION =
      ((ParameterizedType) Confirmation.class.getRecordComponents()[0].getGenericType());

  private record Confirmation(Optional<String> why) {}

  private Wire() {}

  /** Returns a document with its length before it, as four bytes. */
  public static byte[] withLength(byte[] document) {
    return ByteBuffer.allocate(Integer.BYTES + document.length)
        .putInt(document.length)
        .put(document)
        .array();
  }

  /** Returns the document of a value. */
  public static byte[] write(Type type, Object value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try (JsonGenerator out = CBOR.createGenerator(ObjectWriteContext.empty(), bytes)) {
      Forms.of(type).write(out, value);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads the document of a request.
   *
   * @throws UnreadableException if the bytes are not a document of this type, or have a part that
   *     this version does not know
   */
  public static <T> T request(Class<T> type, byte[] bytes) {
    return type.cast(read(type, bytes, true));
  }

  /**
   * Reads the document of an answer. Parts that this version does not know are ignored.
   *
   * @throws UnreadableException if the bytes are not a document of this type
   */
  public static Object answer(Type type, byte[] bytes) {
    return read(type, bytes, false);
  }

  private static Object read(Type type, byte[] bytes, boolean isStrict) {
    Form form = Forms.of(type);
    try (JsonParser parser = CBOR.createParser(ObjectReadContext.empty(), bytes)) {
      if (parser.nextToken() == null) {
        throw new UnreadableException("it is empty");
      }
      Object value = form.read(new Input(parser, isStrict));
      if (parser.nextToken() != null) {
        throw new UnreadableException("bytes follow its end");
      }
      return value;
    } catch (JacksonException e) {
      throw new UnreadableException("it is not CBOR: " + e.getOriginalMessage(), e);
    }
  }
}
