package io.punctual.benchmarks.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/** Calls the HTTP API over one connection. */
final class HttpCaller implements ApiCaller {
  private static final Pattern DELIVERY =
      Pattern.compile("\"id\":\"([^\"]+)\",\"token\":(\"[^\"]+\")[^{}]*?\"dueAt\":\"([^\"]+)\"");

  private static final Pattern NAME = Pattern.compile("\"queue\":\"many-");
  private static final Pattern NEXT = Pattern.compile("\"next\":\"([^\"]+)\"");

  private final Socket socket;
  private final InputStream in;
  private final String queue;

  HttpCaller(int port, String queue) throws IOException {
    this.queue = queue;
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
  }

  @Override
  public void schedule(int messages, long delayMillis) throws IOException {
    String message = "{\"payload\":\"payload\",\"delay\":\"" + delayMillis + "ms\"}";
    if (messages == 1) {
      post("messages", "application/json", message);
    } else {
      post("messages", "application/x-ndjson", (message + "\n").repeat(messages));
    }
  }

  @Override
  public long[] consume(int most, int waitSeconds) throws IOException {
    String answer =
        post(
            "claims",
            "application/json",
            "{\"max\":" + most + ",\"wait\":\"" + waitSeconds + "s\"}");
    Instant now = Instant.now();
    StringBuilder settlements = new StringBuilder();
    LongStream.Builder late = LongStream.builder();
    Matcher delivery = DELIVERY.matcher(answer);
    while (delivery.find()) {
      late.add(Instant.parse(delivery.group(3)).until(now, ChronoUnit.MICROS));
      settlements
          .append(settlements.length() == 0 ? "[{\"id\":\"" : ",{\"id\":\"")
          .append(delivery.group(1))
          .append("\",\"token\":")
          .append(delivery.group(2))
          .append(",\"action\":\"ack\"}");
    }
    if (settlements.length() > 0) {
      post("settlements", "application/json", settlements.append(']').toString());
    }
    return late.build().toArray();
  }

  @Override
  public int list(String prefix) throws IOException {
    String query = "/v1/queues?limit=1000&prefix=" + prefix;
    String cursor = "";
    int found = 0;
    do {
      String answer = request("GET " + query + cursor, "application/json", "");
      found += (int) NAME.matcher(answer).results().count();
      Matcher next = NEXT.matcher(answer);
      cursor = next.find() ? "&cursor=" + URLEncoder.encode(next.group(1), UTF_8) : "";
    } while (!cursor.isEmpty());
    return found;
  }

  @Override
  public void delete() throws IOException {
    String unused =
        request(
            "DELETE /v1/queues/" + queue + "?withMessages=true&confirm=" + queue,
            "application/json",
            "");
  }

  private String post(String path, String type, String body) throws IOException {
    return request("POST /v1/queues/" + queue + "/" + path, type, body);
  }

  private String request(String methodAndPath, String type, String body) throws IOException {
    byte[] content = body.getBytes(UTF_8);
    String head =
        methodAndPath
            + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            + type
            + "\r\nContent-Length: "
            + content.length
            + "\r\n\r\n";
    byte[] all = (head + body).getBytes(UTF_8);
    socket.getOutputStream().write(all);
    String status = line();
    int length = -1;
    for (String line = line(); !line.isEmpty(); line = line()) {
      if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(line.substring(15).strip());
      }
    }
    String answer =
        status.startsWith("HTTP/1.1 204")
            ? ""
            : length < 0 ? chunks() : new String(in.readNBytes(length), UTF_8);
    if (!status.startsWith("HTTP/1.1 2")) {
      throw new IOException(status + ": " + answer);
    }
    return answer;
  }

  private String chunks() throws IOException {
    StringBuilder all = new StringBuilder();
    for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
      all.append(new String(in.readNBytes(size), UTF_8));
      line();
    }
    line();
    return all.toString();
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("The server has ended the connection");
      }
      line.append((char) c);
    }
    return line.toString().strip();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
