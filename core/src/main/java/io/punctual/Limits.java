package io.punctual;

/**
 * What a message and a queue may be, the same for every store. What is beyond a limit is refused
 * with an {@link IllegalArgumentException} that names the limit, before anything is sent.
 */
public final class Limits {
  /**
   * The length of a queue's name, in characters. Names are of letters, digits, dot, dash and
   * underscore (ASCII), so that they can stand in keys, files, URLs and metrics unescaped.
   */
  public static final int QUEUE_NAME_LENGTH = 200;

  /** The length of an id in bytes of UTF-8, at least one; any characters but lone surrogates. */
  public static final int ID_BYTES = 256;

  /** The size of a payload in bytes unless the client was built with another limit: 1 MiB. */
  public static final int DEFAULT_PAYLOAD_BYTES = 1 << 20;

  /** The largest payload limit a client can be built with, in bytes: 64 MiB. */
  public static final int MAX_PAYLOAD_BYTES = 64 << 20;

  /** The size of all headers of a message together, names and values, in bytes of UTF-8. */
  public static final int HEADER_BYTES = 16 << 10;

  /** How many headers a message can have. */
  public static final int HEADERS = 64;

  /**
   * Delays are shorter than this many days, about a thousand years, and due times less than that
   * from 1970.
   */
  public static final int DAYS = 365_250;

  private Limits() {}
}
