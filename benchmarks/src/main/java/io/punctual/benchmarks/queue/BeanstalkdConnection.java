package io.punctual.benchmarks.queue;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;

/**
 * The commands of beanstalkd's protocol that a delay queue needs. Requests may be pipelined;
 * replies arrive in order. A thread may send while another thread reads.
 */
final class BeanstalkdConnection implements AutoCloseable {
  private static final int PRIORITY = 1024;

  /** The time to run (TTR) of a job. */
  private static final int LEASE_SECONDS = 30;

  private static final long MILLIS_PER_SECOND = 1_000;

  private final Socket socket;
  private final OutputStream out;
  private final InputStream in;

  /** A reserved job. */
  record Job(long id, byte[] payload) {}

  BeanstalkdConnection(String url) throws IOException {
    URI uri = URI.create(url);
    socket = new Socket(uri.getHost(), uri.getPort());
    socket.setTcpNoDelay(true);
    out = new BufferedOutputStream(socket.getOutputStream());
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Sends a put. Delays are rounded up to whole seconds, the protocol's unit. */
  void sendPut(BenchMessage message) throws IOException {
    long seconds = (message.delayMillis() + MILLIS_PER_SECOND - 1) / MILLIS_PER_SECOND;
    byte[] payload = message.payload();
    write("put " + PRIORITY + " " + seconds + " " + LEASE_SECONDS + " " + payload.length);
    out.write(payload);
    write("");
  }

  /** Writes the buffered requests to the socket. */
  void flush() throws IOException {
    out.flush();
  }

  /** Reads the reply to a put, and returns the job's id. */
  long readInserted() throws IOException {
    return number(expect("INSERTED"), 1);
  }

  /** Waits for a due job. */
  Job reserve() throws IOException {
    write("reserve");
    flush();
    String[] words = expect("RESERVED");
    byte[] payload = in.readNBytes((int) number(words, 2));
    String unused = readLine();
    return new Job(number(words, 1), payload);
  }

  /** Deletes a job; returns whether the job existed. */
  boolean delete(long id) throws IOException {
    write("delete " + id);
    flush();
    return readLine().equals("DELETED");
  }

  /** Pauses the tube for {@code seconds}; returns whether that succeeded. */
  boolean pause(long seconds) throws IOException {
    write("pause-tube default " + seconds);
    flush();
    return readLine().equals("PAUSED");
  }

  private String[] expect(String answer) throws IOException {
    String line = readLine();
    String[] words = line.split(" ", -1);
    if (!words[0].equals(answer)) {
      throw new IOException("beanstalkd answered " + line);
    }
    return words;
  }

  private static long number(String[] words, int index) {
    return Long.parseLong(words[index]);
  }

  private void write(String line) throws IOException {
    out.write(line.getBytes(US_ASCII));
    out.write('\r');
    out.write('\n');
  }

  private String readLine() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int read = in.read(); read != '\n'; read = in.read()) {
      if (read < 0) {
        throw new EOFException("beanstalkd closed the connection");
      }
      if (read != '\r') {
        line.append((char) read);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
