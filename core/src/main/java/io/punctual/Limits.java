package io.punctual;

/**
 * The limits of messages and queues, the same for every store. A call beyond a limit fails with an
 * {@link IllegalArgumentException} that names the limit, before the store changes anything. {@link
 * Message#check} checks a message ahead of the call.
 */
public final class Limits {
  /**
   * The largest length of a queue's name, in characters. Names consist of ASCII letters, digits,
   * dot, dash and underscore, so that keys, files, URLs and metrics need no escapes.
   */
  public static final int QUEUE_NAME_LENGTH = 200;

  /**
   * The largest length of an id in bytes of UTF-8; the smallest length is 1. Lone surrogates are
   * not allowed.
   */
  public static final int ID_BYTES = 256;

  /** The default limit of a payload in bytes: 1 MiB. */
  public static final int DEFAULT_PAYLOAD_BYTES = 1 << 20;

  /** The largest configurable limit of a payload in bytes: 64 MiB. */
  public static final int MAX_PAYLOAD_BYTES = 64 << 20;

  /** The largest size of a message's headers together, names and values, in bytes of UTF-8. */
  public static final int HEADER_BYTES = 16 << 10;

  /** The largest number of headers of a message. */
  public static final int HEADERS = 64;

  /** The largest length of the reason of a pause, and of its author's name, in bytes of UTF-8. */
  public static final int PAUSE_NOTE_BYTES = 256;

  /**
   * Delays are shorter than this number of days, about a thousand years. Due times are less than
   * this number of days before or after 1970.
   */
  public static final int DAYS = 365_250;

  private Limits() {}
}
