package io.punctual.httpstore.client;

import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Requests;
import io.punctual.httpstore.wire.Wire;
import io.punctual.spi.Reply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * A request and its answer. The HTTP client notifies this object as a subscriber, because the
 * future of the HTTP client completes later, on a thread that it starts for the purpose on machines
 * with two processors. The HTTP client calls the methods one after another, except {@link #fail}.
 *
 * @param <A> the type of the answer
 */
final class Exchange<A> implements BodyHandler<@Nullable Void>, BodySubscriber<@Nullable Void> {
  /** The largest answer: a page of large messages can be larger than a request. */
  private static final long MAX_ANSWER = 1L << 30;

  private static final String UNCERTAIN =
      "The connection to the server ended before the server could tell whether the durability is"
          + " reached";

  private final Request<A> request;
  private final ServerFailures failures;
  private final CompletableFuture<A> answer = new CompletableFuture<>();
  private volatile CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
  private final Bytes bytes = new Bytes();
  private volatile boolean sent;
  private @Nullable ResponseInfo head;
  private @Nullable CompletableFuture<@Nullable String> confirmation;
  private boolean isOfTwo;
  private int secondFrom;

  /** Gives access to the buffer without a copy. */
  private static final class Bytes extends ByteArrayOutputStream {
    int intAt(int index) {
      return ByteBuffer.wrap(buf).getInt(index);
    }

    byte[] from(int begin, int end) {
      return java.util.Arrays.copyOfRange(buf, begin, end);
    }
  }

  Exchange(Request<A> request, ServerFailures failures) {
    this.request = request;
    this.failures = failures;
  }

  /** Returns the answer; fails as the SPI demands. */
  CompletableFuture<A> answer() {
    return answer;
  }

  /** Returns whether the body should be sent only when the server has asked for it. */
  boolean isCautious() {
    return request.repetition() == Request.Repetition.HARMFUL;
  }

  /** Returns whether the server may have received the request. */
  boolean isSent() {
    return sent;
  }

  /** Returns the body, which notes that the connection asks for it. */
  BodyPublisher body(byte[] document) {
    BodyPublisher body = BodyPublishers.ofByteArray(document);
    return new BodyPublisher() {
      @Override
      public long contentLength() {
        return body.contentLength();
      }

      @Override
      public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        sent = true;
        body.subscribe(subscriber);
      }
    };
  }

  @Override
  public BodySubscriber<@Nullable Void> apply(ResponseInfo info) {
    // Of an earlier attempt, only a refusal of the token can have arrived.
    end = new CompletableFuture<>();
    bytes.reset();
    head = info;
    isOfTwo =
        info.statusCode() == 200
            && info.headers().firstValue("Content-Type").orElse("").equals(Wire.TYPE_OF_TWO);
    return this;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      if (bytes.size() + (long) buffer.remaining() > MAX_ANSWER) {
        throw new IllegalStateException("The answer has more than " + MAX_ANSWER + " bytes");
      }
      byte[] part = new byte[buffer.remaining()];
      buffer.get(part);
      bytes.write(part, 0, part.length);
    }
    if (isOfTwo && secondFrom == 0 && bytes.size() >= Integer.BYTES) {
      int length = bytes.intAt(0);
      if (length >= 0 && bytes.size() - Integer.BYTES >= length) {
        secondFrom = Integer.BYTES + length;
        succeed(bytes.from(Integer.BYTES, secondFrom));
      }
    }
  }

  @Override
  public void onComplete() {
    ResponseInfo info = head;
    if (isOfTwo) {
      second();
    } else if (info != null && isAnswer(info)) {
      succeed(bytes.toByteArray());
    } else if (info != null && info.statusCode() != 401) {
      refuse();
    }
    end.complete(null);
  }

  /** Ends the exchange with the answer that refuses the request. */
  void refuse() {
    ResponseInfo info = head;
    if (info != null) {
      answer.completeExceptionally(
          failures.of(info.statusCode(), info.headers(), bytes.toByteArray()));
    }
  }

  private static boolean isAnswer(ResponseInfo info) {
    return info.statusCode() == 200
        && info.headers().firstValue("Content-Type").orElse("").equals(Wire.TYPE);
  }

  @SuppressWarnings("unchecked") // The request determines the type of its answer.
  private void succeed(byte[] document) {
    try {
      Object value = Wire.answer(Requests.answer(request.getClass()), document);
      confirmation = confirmation(value);
      answer.complete((A) value);
    } catch (RuntimeException e) {
      fail(new IOException("the answer can't be read: " + e.getMessage(), e));
    }
  }

  @SuppressWarnings("unchecked") // The wire form makes a future for each stage.
  private static @Nullable CompletableFuture<@Nullable String> confirmation(Object value) {
    CompletionStage<@Nullable String> stage =
        value instanceof Reply.Applied applied ? applied.confirmation() : null;
    return stage == null ? null : (CompletableFuture<@Nullable String>) stage;
  }

  @SuppressWarnings("unchecked") // The document has this type.
  private void second() {
    CompletableFuture<@Nullable String> waiting = confirmation;
    if (secondFrom == 0 || waiting == null) {
      fail(new IOException("the answer ended too early"));
      return;
    }
    try {
      byte[] document = bytes.from(secondFrom, bytes.size());
      waiting.complete(((Optional<String>) Wire.answer(Wire.CONFIRMATION, document)).orElse(null));
    } catch (RuntimeException e) {
      waiting.complete(UNCERTAIN);
    }
  }

  /**
   * Returns whether the request can be sent again after its connection broke: no answer has begun,
   * and a second execution is harmless, or the request was not sent.
   */
  boolean canRepeatAfter(Throwable failure) {
    return head == null
        && ServerFailures.isBrokenConnection(unwrapped(failure))
        && (request.repetition() == Request.Repetition.HARMLESS || !sent);
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  @Override
  public void onError(Throwable failure) {
    fail(failure);
  }

  /** Ends the exchange without an answer. Has no effect after its end. */
  void fail(Throwable failure) {
    if (!answer.isDone()) {
      answer.completeExceptionally(failures.of(unwrapped(failure), sent));
    }
    CompletableFuture<@Nullable String> waiting = confirmation;
    if (waiting != null) {
      waiting.complete(UNCERTAIN);
    }
    end.complete(null);
  }

  @Override
  public CompletionStage<@Nullable Void> getBody() {
    return end;
  }
}
