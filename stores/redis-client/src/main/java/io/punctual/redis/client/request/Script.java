package io.punctual.redis.client.request;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A Lua script. The header of each Lua file documents the script. Immutable. */
public final class Script {
  private final byte[] text;
  private final byte[] sha;

  private Script(byte[] text) {
    this.text = text;
    this.sha = HexFormat.of().formatHex(sha1(text)).getBytes(UTF_8);
  }

  /**
   * Returns the script that joins these files in this order.
   *
   * @param resources opens a resource by its file name
   * @param files the names of the files without {@code .lua}
   */
  public static Script of(Function<String, @Nullable InputStream> resources, String... files) {
    return of("", resources, files);
  }

  /** Like {@link #of(Function, String...)}, with a first line that defines constants. */
  public static Script of(
      String constants, Function<String, @Nullable InputStream> resources, String... files) {
    StringBuilder joined = new StringBuilder(constants.isEmpty() ? "" : constants + '\n');
    for (String file : files) {
      joined.append(load(resources, file)).append('\n');
    }
    return new Script(joined.toString().getBytes(UTF_8));
  }

  private static String load(Function<String, @Nullable InputStream> resources, String file) {
    try (InputStream in = resources.apply(file + ".lua")) {
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

  /** Returns the whole text of the script. Callers must not change the array. */
  byte[] text() {
    return text;
  }

  /**
   * Returns the name of the script on the server, which is its SHA-1 in hexadecimal. Callers must
   * not change the array.
   */
  byte[] sha() {
    return sha;
  }
}
