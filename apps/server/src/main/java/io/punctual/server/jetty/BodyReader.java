package io.punctual.server.jetty;

import io.punctual.http.exchange.Call;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/** Reads the whole body of a request, within the bounds of its size, of memory and of time. */
final class BodyReader implements Runnable, Invocable {
  /** Why a body was not read. */
  enum Refusal {
    /** It exceeds the size that the call takes. */
    TOO_LARGE,
    /** The bodies of all requests exceed the memory for them. */
    NO_MEMORY,
    /** It arrives too slowly. */
    TOO_SLOW
  }

  /** Takes the outcome, once. */
  interface Receiver {
    void read(byte[] body);

    void refused(Refusal refusal);

    void failed(Throwable failure);
  }

  private static final int FIRST_SIZE = 1 << 14;

  private final Request request;
  private final long maxBody;
  private final boolean keeps;
  private final String caller;
  private final BodyMemory memory;
  private final Receiver receiver;
  private @Nullable BodyRate rate;
  private byte[] body = new byte[0];
  private volatile int length;
  private long reserved;
  private boolean done;

  /**
   * @param call says how large the body may be, and whether it is needed
   */
  BodyReader(Request request, Call call, BodyMemory memory, Receiver receiver) {
    this.request = request;
    this.maxBody = call.maxBody();
    this.keeps = call.readsBody();
    this.caller = call.caller();
    this.memory = memory;
    this.receiver = receiver;
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  /** Reads what is there, and continues when more arrives. */
  @Override
  public void run() {
    try {
      read();
    } catch (RuntimeException | Error e) {
      finish();
      receiver.failed(e);
    }
  }

  private void read() {
    while (true) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(this);
        return;
      }
      if (Content.Chunk.isFailure(chunk)) {
        if (finish()) {
          receiver.failed(chunk.getFailure());
        }
        return;
      }
      Refusal refusal = add(chunk.getByteBuffer());
      boolean last = chunk.isLast();
      chunk.release();
      if (refusal != null) {
        refuse(refusal);
        return;
      }
      if (last) {
        if (finish()) {
          receiver.read(length == body.length || !keeps ? body : Arrays.copyOf(body, length));
        }
        return;
      }
    }
  }

  private synchronized @Nullable Refusal add(ByteBuffer part) {
    if (done) {
      // Another thread has refused it, and its memory is given back.
      return null;
    }
    int more = part.remaining();
    if (length + (long) more > maxBody) {
      return Refusal.TOO_LARGE;
    }
    if (!keeps) {
      length += more;
      return null;
    }
    if (length + more > body.length && !grow(length + more)) {
      return Refusal.NO_MEMORY;
    }
    part.get(body, length, more);
    length += more;
    return null;
  }

  /** Doubles, so that a body that is only announced takes no memory. */
  private boolean grow(int needed) {
    long declared = request.getLength();
    long bound = declared >= 0 ? Math.min(declared, maxBody) : maxBody;
    int size = (int) Math.max(needed, Math.min(bound, Math.max(FIRST_SIZE, 2L * body.length)));
    if (!memory.take(caller, reserved, size)) {
      return false;
    }
    reserved = size;
    body = Arrays.copyOf(body, size);
    return true;
  }

  /** Ends the reading without a body, unless it has ended. */
  void refuse(Refusal refusal) {
    if (finish()) {
      try {
        receiver.refused(refusal);
      } catch (RuntimeException | Error e) {
        receiver.failed(e);
      }
    }
  }

  private synchronized boolean finish() {
    boolean first = !done;
    done = true;
    return first;
  }

  /** Gives the memory back. A second call does nothing. */
  synchronized void release() {
    memory.give(caller, reserved);
    reserved = 0;
  }

  /** Returns whether the body arrives slower than the rate. For use by one thread. */
  boolean isSlow(long now, long bytesPerSecond, long spanNanos) {
    if (rate == null) {
      rate = new BodyRate(now);
    }
    return rate.isSlow(now, length, bytesPerSecond, spanNanos);
  }
}
