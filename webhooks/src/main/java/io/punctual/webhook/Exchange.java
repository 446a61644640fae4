package io.punctual.webhook;

import io.punctual.internal.message.CutText;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.client.HttpResponseException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/** A call that runs. Reads no more of its answer than is of use. Thread-safe. */
final class Exchange implements Response.Listener {
  /** How much of an answer is read. */
  static final int MOST_READ = 64 << 10;

  /** How much of an answer is kept. */
  private static final int MOST_KEPT = 300;

  private final Request request;
  private final Executor executor;
  private final DueTimer timer;
  private final InstantSource clock;
  private final Duration timeout;
  private final long began;
  private final CompletableFuture<Answered> result = new CompletableFuture<>();
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private long read;
  private int status;
  private Optional<Duration> retryAfter = Optional.empty();
  private @Nullable Timeout end;

  /**
   * Creates it.
   *
   * @param executor ends a late call, which takes too long for the timer's thread
   */
  Exchange(
      Request request, Executor executor, DueTimer timer, InstantSource clock, Duration timeout) {
    this.request = request;
    this.executor = executor;
    this.timer = timer;
    this.clock = clock;
    this.timeout = timeout;
    began = timer.nanoTime();
  }

  CompletableFuture<Answered> result() {
    return result;
  }

  void start() {
    // A cancel of the caller, such as at a lost lease, ends the call.
    CompletionStage<?> unused =
        result.whenComplete(
            (answered, failure) -> {
              if (failure instanceof CancellationException) {
                abort(failure);
              }
            });
    try {
      synchronized (this) {
        end = timer.schedule(timeout, this::onTimeout);
      }
      request.onResponseListener(this).send(this);
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private void abort(Throwable why) {
    CompletionStage<?> unused = request.abort(why);
  }

  private void onTimeout() {
    try {
      executor.execute(this::late);
    } catch (RejectedExecutionException e) {
      late(); // The client ends.
    }
  }

  private void late() {
    TimeoutException late =
        new TimeoutException("No whole answer within " + timeout.toMillis() + " ms");
    fail(late);
    abort(late);
  }

  @Override
  public synchronized void onHeaders(Response response) {
    status = response.getStatus();
    String value = response.getHeaders().get(HttpHeader.RETRY_AFTER);
    if (value != null && (status == 429 || status == 503)) {
      retryAfter = RetryAfter.parse(value, clock.instant());
    }
  }

  @Override
  public void onContent(Response response, ByteBuffer content) {
    boolean isEnough;
    synchronized (this) {
      read += content.remaining();
      byte[] part = new byte[Math.min(content.remaining(), MOST_KEPT * 4 - kept.size())];
      content.get(part);
      content.position(content.limit());
      kept.write(part, 0, part.length);
      isEnough = read > MOST_READ;
    }
    if (isEnough) {
      complete(true, text());
      abort(new TimeoutException("The answer is longer than is of use"));
    }
  }

  @Override
  public void onComplete(Result done) {
    Throwable failure = done.getResponseFailure();
    if (failure == null
        && done.getRequestFailure() != null
        && done.getResponse().getStatus() == 0) {
      failure = done.getRequestFailure();
    }
    if (failure == null) {
      complete(true, text());
    } else {
      fail(failure);
    }
  }

  private synchronized String text() {
    String text = kept.toString(StandardCharsets.UTF_8);
    StringBuilder safe = new StringBuilder();
    text.codePoints()
        .limit(MOST_KEPT)
        .map(c -> Character.isISOControl(c) ? ' ' : c)
        .forEach(safe::appendCodePoint);
    return safe.toString().strip();
  }

  private void fail(Throwable failure) {
    complete(false, reason(failure));
  }

  /** Returns why there is no whole answer, without what differs from call to call. */
  private static String reason(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof TimeoutException || failure instanceof RefusedAddressException) {
      return message;
    }
    if (failure instanceof EOFException || failure instanceof ClosedChannelException) {
      return "The connection ended before the answer did";
    }
    if (failure instanceof UnknownHostException) {
      return "The host has no address: " + message;
    }
    if (failure instanceof SSLException) {
      return "No connection by TLS: " + message;
    }
    if (failure instanceof SocketException) {
      return "The connection failed: " + message;
    }
    if (failure instanceof HttpResponseException || failure instanceof HttpException) {
      Throwable cause = failure.getCause() == null ? failure : failure.getCause();
      return "The answer is not valid HTTP: "
          + String.valueOf(cause.getMessage()).replaceFirst("^[0-9]{3}: ", "");
    }
    return "The answer could not be read: " + failure.getClass().getSimpleName() + ": " + message;
  }

  private void complete(boolean isWhole, String text) {
    Answered answered;
    Timeout ending;
    synchronized (this) {
      long millis = TimeUnit.NANOSECONDS.toMillis(timer.nanoTime() - began);
      String cut = CutText.first(text, MOST_KEPT);
      answered = new Answered(status, millis, cut, isWhole, retryAfter);
      ending = end;
    }
    if (result.complete(answered) && ending != null) {
      ending.cancel();
    }
  }
}
