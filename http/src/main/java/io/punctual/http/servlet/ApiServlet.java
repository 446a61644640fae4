package io.punctual.http.servlet;

import io.punctual.http.HttpService;
import io.punctual.http.access.RequestGuard;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.Sink;
import io.punctual.http.problem.Problem;
import io.punctual.view.Outcome;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Serves an {@link HttpService} in a container of servlets, below the path of its mapping. Must be
 * registered with asynchronous requests. A container can't say when a client is gone, so that a
 * poll waits 5 seconds at most. Requests that pages of other sites send are refused.
 *
 * <p>Tomcat refuses {@code %2F} in paths by default; for such ids, clients use the path {@code
 * /v1/queues/{queue}/message?id=}. Safe for use by many threads. Closes the service when the
 * container ends it.
 */
public final class ApiServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;

  private final transient HttpService service;

  /** Creates a servlet. */
  public ApiServlet(HttpService service) {
    this.service = service;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    ServletHead head = new ServletHead(request);
    if (RequestGuard.isFromOtherSite(head)) {
      Answer refused =
          Problem.of(Outcome.FORBIDDEN, "Web pages of other sites may not call this API").answer();
      writeHead(response, refused);
      writeBody(response, refused.body());
      return;
    }
    Call call = service.accept(head);
    byte[] body = body(request, call);
    AsyncContext context = request.startAsync();
    context.setTimeout(0);
    CompletionStage<Answer> answer =
        body == null
            ? CompletableFuture.completedFuture(call.tooLarge())
            : call.answer(body, Client.UNWATCHED);
    Writing writing = new Writing(context, response);
    answer.whenComplete((done, failure) -> writing.write(done));
  }

  /** Returns the body, or null if it is too large. */
  private static byte @Nullable [] body(HttpServletRequest request, Call call) throws IOException {
    long most = call.maxBody();
    if (request.getContentLengthLong() > most) {
      return null;
    }
    if (!call.readsBody()) {
      return new byte[0];
    }
    try (InputStream in = request.getInputStream()) {
      int limit = (int) Math.min(most, Integer.MAX_VALUE - 16);
      byte[] body = in.readNBytes(limit);
      return body.length == limit && in.read() >= 0 ? null : body;
    }
  }

  private static void writeHead(HttpServletResponse response, Answer answer) {
    response.setStatus(answer.status());
    answer.headers().forEach(response::setHeader);
    Answer.HARMLESS.forEach(
        (name, value) -> {
          if (!response.containsHeader(name)) {
            response.setHeader(name, value);
          }
        });
    if (answer.body() instanceof Answer.Bytes bytes && bytes.content().length > 0) {
      response.setContentLength(bytes.content().length);
    }
  }

  private static void writeBody(HttpServletResponse response, Answer.Body body) throws IOException {
    if (body instanceof Answer.Bytes bytes) {
      response.getOutputStream().write(bytes.content());
    }
  }

  @Override
  public void destroy() {
    service.drain();
    service.close();
  }

  /** The answer to one request; it is written on a thread of the container, which may block. */
  private static final class Writing implements Sink, AsyncListener {
    private final AsyncContext context;
    private final HttpServletResponse response;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile Answer.Written written = Answer.Written.NOTHING;

    Writing(AsyncContext context, HttpServletResponse response) {
      this.context = context;
      this.response = response;
      context.addListener(this);
    }

    void write(Answer answer) {
      written = answer.written();
      run(
          () -> {
            writeHead(response, answer);
            if (answer.body() instanceof Answer.Stream stream) {
              response.flushBuffer();
              stream.start(this);
            } else {
              writeBody(response, answer.body());
              response.flushBuffer();
              end(true);
            }
          });
    }

    @Override
    public CompletionStage<Void> send(byte[] part) {
      CompletableFuture<Void> sent = new CompletableFuture<>();
      if (ended.get()) {
        sent.completeExceptionally(new IOException("The client is gone"));
        return sent;
      }
      run(
          () -> {
            try {
              response.getOutputStream().write(part);
              response.flushBuffer();
            } catch (IOException | RuntimeException e) {
              end(false);
              sent.completeExceptionally(e);
              return;
            }
            sent.complete(null);
          });
      return sent;
    }

    @Override
    public void close() {
      run(() -> end(true));
    }

    /** Something that may block and fail. */
    private interface Step {
      void run() throws IOException;
    }

    private void run(Step step) {
      try {
        context.start(
            () -> {
              try {
                step.run();
              } catch (IOException | RuntimeException e) {
                end(false);
              }
            });
      } catch (IllegalStateException | RejectedExecutionException e) {
        end(false); // The container has ended the request.
      }
    }

    private void end(boolean isWritten) {
      if (ended.compareAndSet(false, true)) {
        written.done(isWritten);
        try {
          context.complete();
        } catch (IllegalStateException e) {
          // The container has ended the request already.
        }
      }
    }

    @Override
    public void onComplete(AsyncEvent event) {}

    @Override
    public void onTimeout(AsyncEvent event) {
      end(false);
    }

    @Override
    public void onError(AsyncEvent event) {
      end(false);
    }

    @Override
    public void onStartAsync(AsyncEvent event) {}
  }
}
