package io.punctual.redis.client;

import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;

/** The name of a command that the client library may not know. Immutable. */
final class Keyword implements ProtocolKeyword {
  static final Keyword WAIT = new Keyword("WAIT");
  static final Keyword WAITAOF = new Keyword("WAITAOF");
  static final Keyword SUNSUBSCRIBE = new Keyword("SUNSUBSCRIBE");

  private final String name;

  private Keyword(String name) {
    this.name = name;
  }

  @Override
  public byte[] getBytes() {
    return name.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public String toString() {
    return name;
  }
}
