package io.punctual.redis.client.scripted;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Replies and requests in the protocol of Redis, RESP2. */
public final class Resp {
  /** The reply to a command without a result. */
  public static final String OK = "+OK\r\n";

  /** The reply to PING. */
  public static final String PONG = "+PONG\r\n";

  private Resp() {}

  public static String error(String text) {
    return "-" + text + "\r\n";
  }

  public static String number(long number) {
    return ":" + number + "\r\n";
  }

  public static String text(String text) {
    return "$" + text.getBytes(UTF_8).length + "\r\n" + text + "\r\n";
  }

  public static String list(String... replies) {
    return "*" + replies.length + "\r\n" + String.join("", replies);
  }

  /** Returns a message about channels, for example of the kind "subscribe" or "message". */
  static String push(String kind, String channel, String last) {
    return list(text(kind), text(channel), last);
  }

  /** Returns a reply to CLUSTER SLOTS with these ranges. */
  public static String slots(String... ranges) {
    return list(ranges);
  }

  /** Returns a range of slots that a node serves, for {@link #slots}. */
  public static String range(int first, int last, String host, int port) {
    return list(number(first), number(last), list(text(host), number(port), text("id" + port)));
  }

  /** Reads the arguments of the next request, joined by spaces. */
  static String read(ByteBuf bytes) {
    List<String> arguments = new ArrayList<>();
    for (int left = length(bytes); left > 0; left--) {
      arguments.add(bytes.readCharSequence(length(bytes), UTF_8).toString());
      bytes.skipBytes(2);
    }
    return String.join(" ", arguments);
  }

  private static int length(ByteBuf bytes) {
    String line = bytes.readCharSequence(bytes.bytesBefore((byte) '\r'), UTF_8).toString();
    bytes.skipBytes(2);
    return Integer.parseInt(line.substring(1));
  }

  public static String info(String... lines) {
    return text(Stream.of(lines).map(line -> line + "\r\n").collect(Collectors.joining()));
  }
}
