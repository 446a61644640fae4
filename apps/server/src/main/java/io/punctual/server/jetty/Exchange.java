package io.punctual.server.jetty;

import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.view.Outcome;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** One request and its answer. */
final class Exchange implements Client, BodyReader.Receiver {
  private final ExchangeHandler handler;
  private final Request request;
  private final Response response;
  private final Callback callback;
  private final Call call;
  private final BodyReader reader;
  private @Nullable GoneWatch watch;
  private boolean answered;

  /** Whether the request is over for Jetty and for the count of requests in flight. */
  private final AtomicBoolean ended = new AtomicBoolean();

  Exchange(
      ExchangeHandler handler, Request request, Response response, Callback callback, Call call) {
    this.handler = handler;
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.call = call;
    reader = new BodyReader(request, call, handler.bodyMemory(), this);
  }

  void begin() {
    try {
      if (request.getLength() > call.maxBody()) {
        refused(BodyReader.Refusal.TOO_LARGE);
      } else {
        handler.reading().add(this);
        reader.begin();
      }
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  /** Ends a request whose body arrives too slowly. */
  void endIfSlow(long bytesPerSecond, long graceNanos) {
    if (reader.isSlow(bytesPerSecond, graceNanos)) {
      reader.refuse(BodyReader.Refusal.TOO_SLOW);
    }
  }

  @Override
  public void refused(BodyReader.Refusal refusal) {
    handler.reading().remove(this);
    response.getHeaders().put(HttpHeader.CONNECTION, "close");
    write(
        switch (refusal) {
          case TOO_LARGE -> call.tooLarge();
          case NO_MEMORY ->
              Problems.of(
                  Outcome.BUSY, "The bodies of the requests in flight fill the memory for them");
          case TOO_SLOW -> Problems.of(408, "The body arrives too slowly");
        });
  }

  /** Ends a request whose body can't be read; does nothing if it has an answer. */
  @Override
  public void failed(Throwable failure) {
    handler.reading().remove(this);
    if (isAnswered()) {
      return;
    }
    if (failure instanceof HttpException bad) {
      response.getHeaders().put(HttpHeader.CONNECTION, "close");
      write(Problems.of(bad.getCode(), "The body of the request is not valid HTTP"));
    } else {
      reader.release();
      giveUp(failure);
    }
  }

  private synchronized boolean isAnswered() {
    return answered;
  }

  /** Ends the request without an answer of ours. */
  private void giveUp(Throwable failure) {
    if (ended.compareAndSet(false, true)) {
      handler.ended();
      callback.failed(failure);
    }
  }

  @Override
  public void read(byte[] body) {
    handler.reading().remove(this);
    CompletionStage<Answer> answer;
    try {
      answer = call.answer(body, this);
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    answer.whenComplete(
        (done, failure) -> write(failure == null ? done : handler.unexpected(failure)));
  }

  private Connection connection() {
    return request.getConnectionMetaData().getConnection();
  }

  @Override
  public boolean isWatched() {
    return GoneWatch.canWatch(connection());
  }

  @Override
  public synchronized void onGone(Runnable action) {
    if (!answered && watch == null && isWatched()) {
      watch =
          GoneWatch.of(
              connection(),
              request.getConnectionMetaData().getHttpConfiguration().getInputBufferSize(),
              action);
    }
  }

  /** Returns whether the client is known to be gone. */
  private synchronized boolean endWatch() {
    answered = true;
    return watch != null && watch.stop();
  }

  private void write(Answer answer) {
    boolean isGone = endWatch();
    reader.release();
    try {
      write(answer, isGone);
    } catch (RuntimeException | Error e) {
      giveUp(e);
    }
  }

  private void write(Answer answer, boolean isGone) {
    int size = answer.body() instanceof Answer.Bytes bytes ? bytes.content().length : 0;
    if (handler.answerMemory().take(size)) {
      write(answer, size, isGone);
    } else {
      Answer busy =
          Problems.of(
              Outcome.BUSY,
              "The answers that wait for their clients fill the memory for them; ask for less at a"
                  + " time");
      Answer.Written instead = written -> answer.written().done(false);
      write(new Answer(busy.status(), busy.headers(), busy.body(), instead), 0, isGone);
    }
  }

  private void write(Answer answer, int size, boolean isGone) {
    Callback end = end(answer.written(), size);
    if (isGone) {
      end.failed(new EofException("The client is gone"));
      return;
    }
    try {
      HttpFields.Mutable headers = response.getHeaders();
      response.setStatus(answer.status());
      ErrorAnswers.HARMLESS.forEach(headers::put);
      answer.headers().forEach(headers::put);
      if (handler.isDraining()) {
        headers.put(HttpHeader.CONNECTION, "close");
      }
      if (answer.body() instanceof Answer.Stream stream) {
        StreamSink sink = new StreamSink(response, end);
        handler.stream(sink, answer);
        stream.start(sink);
      } else {
        writeWhole(((Answer.Bytes) answer.body()).content(), headers, end);
      }
    } catch (RuntimeException | Error e) {
      handler.unexpected(e);
      end.failed(e);
    }
  }

  private void writeWhole(byte[] content, HttpFields.Mutable headers, Callback end) {
    byte[] body = Compression.compressed(content, request.getHeaders(), headers);
    if (!HttpStatus.hasNoBody(response.getStatus())) {
      headers.put(HttpHeader.CONTENT_LENGTH, body.length);
    }
    response.write(true, ByteBuffer.wrap(body), end);
  }

  private Callback end(Answer.Written written, int size) {
    return Callback.from(
        () -> {
          handler.answerMemory().give(size);
          if (ended.compareAndSet(false, true)) {
            handler.ended();
            callback.succeeded();
          }
          written.done(true);
        },
        failure -> {
          handler.answerMemory().give(size);
          giveUp(failure);
          written.done(false);
        });
  }
}
