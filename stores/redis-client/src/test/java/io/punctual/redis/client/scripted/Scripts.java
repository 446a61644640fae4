package io.punctual.redis.client.scripted;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.request.Script;
import java.io.ByteArrayInputStream;

/** Lua scripts for tests; no server runs them. */
public final class Scripts {
  private Scripts() {}

  /** Returns a script with this text, and a line break after it. */
  public static Script of(String text) {
    return Script.of(name -> new ByteArrayInputStream(text.getBytes(UTF_8)), "script");
  }
}
