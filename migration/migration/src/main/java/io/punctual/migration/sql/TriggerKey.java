package io.punctual.migration.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

record TriggerKey(String group, String name) {
  private static final char SEPARATOR = '\0';

  static TriggerKey of(byte[] token) {
    String text = new String(token, UTF_8);
    int middle = text.indexOf(SEPARATOR);
    return new TriggerKey(text.substring(0, middle), text.substring(middle + 1));
  }

  byte[] token() {
    return (group + SEPARATOR + name).getBytes(UTF_8);
  }
}
