package io.punctual.httpstore.client;

import io.punctual.StoreRefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The token of a client. A file is read when the store is opened, and again after the server has
 * refused the token, so that a token can be replaced while the client runs. Thread-safe.
 */
public final class TokenSource {
  private final @Nullable Path file;
  private volatile @Nullable String token;

  private TokenSource(@Nullable Path file, @Nullable String token) {
    this.file = file;
    this.token = token;
  }

  /** Returns a source of this token, or of none. */
  public static TokenSource of(@Nullable String token) {
    return new TokenSource(null, token == null ? null : checked(token));
  }

  /**
   * Returns a source that reads a file.
   *
   * @throws StoreRefusedException if the file can't be read
   */
  public static TokenSource inFile(Path file) {
    TokenSource source = new TokenSource(file, null);
    try {
      source.token = read(file);
    } catch (IOException e) {
      throw new StoreRefusedException(
          "tokenFile names a file that can't be read: " + file + " (" + e + ")", e);
    }
    return source;
  }

  private static String read(Path file) throws IOException {
    return checked(Files.readString(file).strip());
  }

  private static String checked(String token) {
    if (token.isEmpty() || !token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new IllegalArgumentException(
          "A token is one word of ASCII characters; copy it as the server has printed it");
    }
    return token;
  }

  /** Returns the token, or null if there is none. */
  @Nullable String current() {
    return token;
  }

  /**
   * Returns whether there is another token than the one that the server refused. Reads the file
   * again, if there is one. Blocks for the disk.
   */
  boolean isReplaced(@Nullable String refused) {
    Path from = file;
    if (from != null) {
      try {
        token = read(from);
      } catch (IOException | IllegalArgumentException beingReplaced) {
        // The next refusal reads it again.
        return false;
      }
    }
    return !Objects.equals(token, refused);
  }

  /** Shows no token. */
  @Override
  public String toString() {
    return file == null ? (token == null ? "no token" : "a token") : "the token in " + file;
  }
}
