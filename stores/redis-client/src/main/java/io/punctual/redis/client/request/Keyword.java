package io.punctual.redis.client.request;

import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;

/** The name of a command that the client library may not know. Immutable. */
public final class Keyword implements ProtocolKeyword {
  public static final Keyword WAIT = new Keyword("WAIT");
  public static final Keyword WAITAOF = new Keyword("WAITAOF");
  public static final Keyword SPUBLISH = new Keyword("SPUBLISH");
  public static final Keyword SUNSUBSCRIBE = new Keyword("SUNSUBSCRIBE");

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
