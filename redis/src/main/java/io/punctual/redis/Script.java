package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The Lua scripts: what each does stands at the top of its file. */
@SuppressWarnings("ImmutableEnumChecker") // Nobody changes the bytes, which go out as they are.
enum Script {
  OPEN("lane", "open"),
  APPLY("lane", "session", "operations", "apply"),
  CLAIM("lane", "session", "claim"),
  FIND("lane", "entries", "find"),
  BROWSE("lane", "entries", "paging", "browse"),
  COUNTS("lane", "counts"),
  FORECAST("lane", "forecast"),
  PAUSE("lane", "pause"),
  PURGE("lane", "paging", "purge"),
  UNTIL_NEXT("untilnext");

  private final byte[] text;
  private final byte[] sha;

  Script(String... files) {
    StringBuilder joined = new StringBuilder();
    for (String file : files) {
      joined.append(load(file)).append('\n');
    }
    text = joined.toString().getBytes(UTF_8);
    sha = HexFormat.of().formatHex(sha1(text)).getBytes(UTF_8);
  }

  private static String load(String file) {
    try (InputStream in = Script.class.getResourceAsStream(file + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("The module lacks " + file + ".lua");
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] sha1(byte[] text) {
    try {
      return MessageDigest.getInstance("SHA-1").digest(text);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-1", e);
    }
  }

  /** The whole text, fragments first. Not to be changed. */
  byte[] text() {
    return text;
  }

  /** The name that the server knows it by: its SHA-1 in hexadecimal. Not to be changed. */
  byte[] sha() {
    return sha;
  }
}
