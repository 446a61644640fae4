package io.punctual.server;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Sends bytes to a server over one connection, as nobody else would, and reads its answers. */
public final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 120_000;

  private final Socket socket;
  private final InputStream in;

  /** An answer, with its header lines in small letters. */
  public record Reply(int status, List<String> headers, byte[] content) {
    public String text() {
      return new String(content, StandardCharsets.UTF_8);
    }

    public boolean has(String header) {
      return headers.contains(header.toLowerCase(Locale.ROOT));
    }
  }

  private RawClient(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = socket.getInputStream();
  }

  public static RawClient connect(int port) throws IOException {
    return of(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  public static RawClient of(Socket socket) throws IOException {
    return new RawClient(socket);
  }

  public Socket socket() {
    return socket;
  }

  /** Sends a text, each character of it as one byte. */
  public RawClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  public RawClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** Sends a request, and reads the answer. */
  public Reply request(String head, String body) throws IOException {
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    send(
        head.replace("\n", "\r\n")
            + "\r\nHost: localhost\r\nContent-Length: "
            + content.length
            + "\r\n\r\n");
    send(content);
    return reply();
  }

  /** Reads an answer with a length, in chunks, or until the end of the connection. */
  public Reply reply() throws IOException {
    String first = line();
    List<String> headers = new ArrayList<>();
    int length = -1;
    boolean chunked = false;
    for (String line = line(); !line.isEmpty(); line = line()) {
      String small = line.toLowerCase(Locale.ROOT);
      headers.add(small);
      if (small.startsWith("content-length:")) {
        length = Integer.parseInt(small.substring(15).strip());
      }
      chunked |= small.equals("transfer-encoding: chunked");
    }
    int status = Integer.parseInt(first.split(" ", -1)[1]);
    byte[] content;
    if (chunked) {
      content = chunks();
    } else if (length >= 0) {
      content = in.readNBytes(length);
      if (content.length < length) {
        throw new EOFException("in the middle of an answer");
      }
    } else {
      content = status == 204 || status == 304 ? new byte[0] : in.readAllBytes();
    }
    return new Reply(status, headers, content);
  }

  private byte[] chunks() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int size = size(); size > 0; size = size()) {
      all.write(in.readNBytes(size));
      line();
    }
    line();
    return all.toByteArray();
  }

  private int size() throws IOException {
    return Integer.parseInt(line().strip(), 16);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("after: " + line);
      }
      line.append((char) c);
    }
    return line.toString().strip();
  }

  /** Returns whether the server has ended the connection, after whatever it still sent. */
  public boolean isEnded() throws IOException {
    try {
      in.readAllBytes();
      return true;
    } catch (SocketException reset) {
      return true;
    }
  }

  /** Returns whether the server has ended a connection that waits for no answer. */
  boolean hasEnded() throws IOException {
    socket.setSoTimeout(1);
    try {
      return in.read() < 0;
    } catch (SocketTimeoutException open) {
      return false;
    } catch (SocketException reset) {
      return true;
    } finally {
      socket.setSoTimeout(PATIENCE_MILLIS);
    }
  }

  /** Ends the connection by a reset. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
