package io.punctual.kit.fault;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A direction of a connection. One thread reads, and a second thread writes the bytes after their
 * delay, so that later bytes are read while earlier bytes wait. After the stream has swallowed any
 * bytes, it swallows all later bytes and the end of the stream, because a TCP stream cannot have
 * gaps. Thread-safe.
 */
final class ProxyStream {
  private static final int CHUNK_BYTES = 16 << 10;
  private static final int CHUNKS = 256;

  private final Socket from;
  private final Socket to;
  private final Direction direction;
  private final Faults faults;
  private final Runnable onBreak;
  private final BlockingQueue<Chunk> queue = new LinkedBlockingQueue<>(CHUNKS);
  private volatile boolean holed;

  /** Creates a stream that runs {@code onBreak} when either end breaks. */
  ProxyStream(Socket from, Socket to, Direction direction, Faults faults, Runnable onBreak) {
    this.from = from;
    this.to = to;
    this.direction = direction;
    this.faults = faults;
    this.onBreak = onBreak;
  }

  /** Bytes in transit; an empty array means the end. */
  private record Chunk(byte[] bytes, long arrivedNanos) {}

  boolean isHoled() {
    return holed;
  }

  /** Reads until the end of the stream. Runs on its own thread. */
  void read() {
    try {
      byte[] buffer = new byte[CHUNK_BYTES];
      int count = from.getInputStream().read(buffer);
      while (count >= 0) {
        queue.put(new Chunk(java.util.Arrays.copyOf(buffer, count), System.nanoTime()));
        count = from.getInputStream().read(buffer);
      }
      queue.put(new Chunk(new byte[0], System.nanoTime()));
    } catch (IOException e) {
      onBreak.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Writes until the end of the stream. Runs on its own thread. */
  void write() {
    try {
      boolean open = true;
      while (open) {
        Chunk chunk = queue.take();
        faults.awaitDelay(direction, chunk.arrivedNanos);
        open = pass(chunk.bytes);
      }
    } catch (IOException e) {
      onBreak.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Passes or swallows the bytes; returns whether more bytes can follow. */
  private boolean pass(byte[] bytes) throws IOException, InterruptedException {
    holed |= faults.isSwallowing(direction);
    if (holed) {
      faults.countSwallowed(direction, bytes.length);
      return bytes.length > 0;
    } else if (bytes.length == 0) {
      to.shutdownOutput();
      return false;
    }
    long began = System.nanoTime();
    to.getOutputStream().write(bytes);
    faults.countPassed(direction, bytes.length);
    faults.awaitBandwidth(direction, began, bytes.length);
    return true;
  }
}
