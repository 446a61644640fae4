package io.punctual.server.jetty;

import io.punctual.http.exchange.Sink;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/** Writes the parts of an answer, one after another. */
final class StreamSink implements Sink {
  private final Response response;
  private final Callback end;
  private boolean writing;
  private boolean closed;

  /** Creates a sink that completes the callback once, after the end or the first failed write. */
  StreamSink(Response response, Callback end) {
    this.response = response;
    this.end = end;
  }

  @Override
  public CompletionStage<Void> send(byte[] part) {
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(new EofException("closed"));
      }
      if (writing) {
        throw new IllegalStateException("The part before this one is still being written");
      }
      writing = true;
    }
    CompletableFuture<Void> sent = new CompletableFuture<>();
    Callback written =
        Callback.from(
            () -> {
              if (wrote()) {
                finish();
              }
              sent.complete(null);
            },
            failure -> {
              fail(failure);
              sent.completeExceptionally(failure);
            });
    try {
      response.write(false, ByteBuffer.wrap(part), written);
    } catch (RuntimeException | Error e) {
      written.failed(e);
    }
    return sent;
  }

  synchronized boolean isClosed() {
    return closed;
  }

  private synchronized boolean wrote() {
    writing = false;
    return closed;
  }

  private void fail(Throwable failure) {
    synchronized (this) {
      closed = true;
    }
    end.failed(failure);
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      if (writing) {
        return;
      }
    }
    finish();
  }

  private void finish() {
    response.write(true, BufferUtil.EMPTY_BUFFER, end);
  }
}
