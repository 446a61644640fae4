package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends PING to a server on a connection of its own while an action runs, half a millisecond after
 * each answer: often enough to meet each long command, and seldom enough to leave the processor to
 * the action. A server that executes a command answers no other connection, so the longest wait is
 * at most about half a millisecond shorter than the longest command. The waits include the time
 * that the machine gives to other programs.
 */
final class PingLoop implements Callable<long[]> {
  private static final long PAUSE_NANOS = 500_000;
  private static final int MOST = 5_000_000;
  private static final byte[] PING = "PING\r\n".getBytes(US_ASCII);
  private static final int PONG = "+PONG\r\n".length();

  private final int port;
  private volatile boolean ends;

  private PingLoop(int port) {
    this.port = port;
  }

  interface Action {
    void run() throws Exception;
  }

  /** The waits for the answers, in ascending order, in nanoseconds. */
  record Waits(long[] nanos) {
    long percentile(double percent) {
      return nanos[(int) Math.min(nanos.length - 1, percent / 100 * nanos.length)];
    }

    @Override
    public String toString() {
      return "%d pings, p50 %d us, p99 %d us, p99.9 %d us, max %d us, above 5 ms %d"
          .formatted(
              nanos.length,
              percentile(50) / 1000,
              percentile(99) / 1000,
              percentile(99.9) / 1000,
              nanos[nanos.length - 1] / 1000,
              Arrays.stream(nanos).filter(wait -> wait > 5_000_000).count());
    }
  }

  static Waits during(int port, Action action) throws Exception {
    PingLoop loop = new PingLoop(port);
    FutureTask<long[]> task = new FutureTask<>(loop);
    Thread thread = new Thread(task, "ping-loop");
    thread.setDaemon(true);
    thread.start();
    try {
      action.run();
    } finally {
      loop.ends = true;
    }
    long[] nanos = task.get();
    Arrays.sort(nanos);
    return new Waits(nanos);
  }

  @Override
  public long[] call() throws IOException {
    long[] nanos = new long[1024];
    int count = 0;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      OutputStream out = socket.getOutputStream();
      InputStream in = socket.getInputStream();
      while (count == 0 || (!ends && count < MOST)) {
        long before = System.nanoTime();
        out.write(PING);
        if (in.readNBytes(PONG).length < PONG) {
          throw new IOException("The server has closed the connection");
        }
        if (count == nanos.length) {
          nanos = Arrays.copyOf(nanos, 2 * count);
        }
        nanos[count++] = System.nanoTime() - before;
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
    return Arrays.copyOf(nanos, count);
  }
}
