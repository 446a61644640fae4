package io.punctual.server.jetty;

import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.view.Outcome;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
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
  private final Ending ending;
  private final Call call;
  private final BodyReader reader;
  private @Nullable GoneWatch watch;
  private boolean answered;

  Exchange(
      ExchangeHandler handler, Request request, Response response, Callback callback, Call call) {
    this.handler = handler;
    this.request = request;
    this.response = response;
    ending = new Ending(handler, callback);
    this.call = call;
    reader = new BodyReader(request, call, handler.bodyMemory(), this);
  }

  void begin() {
    try {
      if (request.getLength() > call.maxBody()) {
        refused(BodyReader.Refusal.TOO_LARGE);
      } else {
        handler.reading().add(this);
        reader.run();
      }
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  /** Ends a request whose body arrives too slowly. */
  void endIfSlow(long now, long bytesPerSecond, long spanNanos) {
    if (reader.isSlow(now, bytesPerSecond, spanNanos)) {
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
                  Outcome.BUSY,
                  "The bodies of the requests in flight fill the memory for them, or the caller's"
                      + " three quarters of it; send fewer or smaller bodies at a time, or raise"
                      + " 'bodyMemory' in the configuration of the server");
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
      ending.failed(failure);
    }
  }

  private synchronized boolean isAnswered() {
    return answered;
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
        (done, failure) -> {
          try {
            write(failure == null ? done : handler.unexpected(failure));
          } catch (RuntimeException | Error e) {
            ending.failed(e);
          }
        });
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
    try {
      ending.tells(answer.written());
      reader.release();
      int size = answer.body() instanceof Answer.Bytes bytes ? bytes.content().length : 0;
      if (endWatch()) {
        ending.failed(new EofException("The client is gone"));
      } else if (handler.answerMemory().take(size)) {
        ending.holds(size);
        send(answer);
      } else {
        ending.tells(written -> answer.written().done(false));
        send(withoutMemory());
      }
    } catch (RuntimeException | Error e) {
      ending.failed(e);
      handler.unexpected(e);
    }
  }

  /** Returns the problem in place of an answer. A change may be done: only its answer is lost. */
  private Answer withoutMemory() {
    boolean isRead =
        HttpMethod.GET.is(request.getMethod()) || HttpMethod.HEAD.is(request.getMethod());
    return Problems.of(
        isRead ? Outcome.BUSY : Outcome.IN_DOUBT,
        "The answers that wait for their clients fill the memory for them; ask for less at a time");
  }

  private void send(Answer answer) {
    HttpFields.Mutable headers = response.getHeaders();
    response.setStatus(answer.status());
    ErrorAnswers.HARMLESS.forEach(headers::put);
    answer.headers().forEach(headers::put);
    if (handler.isDraining()) {
      headers.put(HttpHeader.CONNECTION, "close");
    }
    if (answer.body() instanceof Answer.Stream stream) {
      StreamSink sink = new StreamSink(response, ending);
      handler.stream(sink, answer);
      stream.start(sink);
    } else {
      writeWhole(((Answer.Bytes) answer.body()).content(), headers);
    }
  }

  private void writeWhole(byte[] content, HttpFields.Mutable headers) {
    byte[] body = Compression.compressed(content, request.getHeaders(), headers);
    if (!HttpStatus.hasNoBody(response.getStatus())) {
      headers.put(HttpHeader.CONTENT_LENGTH, body.length);
    }
    response.write(true, ByteBuffer.wrap(body), ending);
  }
}
