package io.punctual.kit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection that sends a command and waits for its reply. For a single thread. */
final class RedisConsole implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 30_000;

  private final Socket socket = new Socket();
  private final InputStream in;

  RedisConsole(int port) throws IOException {
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  @Nullable Object ask(String... command) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(("*" + command.length + "\r\n").getBytes(UTF_8));
    for (String word : command) {
      byte[] bytes = word.getBytes(UTF_8);
      out.writeBytes(("$" + bytes.length + "\r\n").getBytes(UTF_8));
      out.writeBytes(bytes);
      out.writeBytes("\r\n".getBytes(UTF_8));
    }
    socket.getOutputStream().write(out.toByteArray());
    return read();
  }

  private @Nullable Object read() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case ':' -> Long.valueOf(rest);
      case '$' -> text(Integer.parseInt(rest));
      case '*' -> list(Integer.parseInt(rest));
      case '-' -> throw new IllegalStateException(rest);
      default -> throw new IOException("Not a reply: " + line);
    };
  }

  private @Nullable Object text(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    String text = new String(in.readNBytes(length), UTF_8);
    line();
    return text;
  }

  private @Nullable Object list(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    List<@Nullable Object> list = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      list.add(read());
    }
    return list;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("The server closed the connection");
      }
      if (next != '\r') {
        line.write(next);
      }
    }
    return line.toString(UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
