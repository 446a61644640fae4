package io.punctual.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A server that reports an old version in INFO, and otherwise knows only PING. */
final class OldServer implements AutoCloseable {
  private final ServerSocket listening;
  private final String version;

  OldServer(String version) {
    this.version = version;
    try {
      listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "old-server");
    thread.setDaemon(true);
    thread.start();
  }

  String url() {
    return "redis://127.0.0.1:" + listening.getLocalPort();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        start(() -> answer(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void answer(Socket client) {
    try (client;
        BufferedReader in =
            new BufferedReader(new InputStreamReader(client.getInputStream(), ISO_8859_1))) {
      OutputStream out = client.getOutputStream();
      for (String size = in.readLine(); size != null; size = in.readLine()) {
        String[] words = new String[Integer.parseInt(size.substring(1))];
        for (int i = 0; i < words.length; i++) {
          words[i] = word(in, Integer.parseInt(in.readLine().substring(1)));
        }
        out.write(reply(words[0]).getBytes(ISO_8859_1));
      }
    } catch (IOException gone) {
      // The client has closed its connection, so no reply is needed.
    }
  }

  private static String word(BufferedReader in, int length) throws IOException {
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < length; i++) {
      word.append((char) in.read());
    }
    in.readLine();
    return word.toString();
  }

  private String reply(String command) {
    String info = "redis_version:" + version + "\r\n";
    return switch (command) {
      case "INFO" -> "$" + info.length() + "\r\n" + info + "\r\n";
      case "PING" -> "+PONG\r\n";
      default -> "-ERR unknown command '" + command + "'\r\n";
    };
  }

  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
