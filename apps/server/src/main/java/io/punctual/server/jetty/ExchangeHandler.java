package io.punctual.server.jetty;

import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.RequestHead;
import io.punctual.view.Outcome;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes requests to a service, and its answers to their clients. */
final class ExchangeHandler extends Handler.Abstract.NonBlocking {
  private static final Logger LOG = LoggerFactory.getLogger(ExchangeHandler.class);
  private static final String EVENTS = "text/event-stream";

  private final Function<RequestHead, Call> service;
  private final TrustedProxies proxies;
  private final BodyMemory bodyMemory;
  private final AnswerMemory answerMemory;
  private final InFlight inFlight = new InFlight();
  private final Set<Exchange> reading = ConcurrentHashMap.newKeySet();
  private final Set<StreamSink> events = ConcurrentHashMap.newKeySet();
  private final Turns turns = new Turns();
  private volatile boolean draining;

  /**
   * @param bodyMemory the bytes that the bodies of all requests may take, and those of all answers
   */
  ExchangeHandler(Function<RequestHead, Call> service, TrustedProxies proxies, long bodyMemory) {
    this.service = service;
    this.proxies = proxies;
    this.bodyMemory = new BodyMemory(bodyMemory);
    answerMemory = new AnswerMemory(bodyMemory);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    Call call = service.apply(new JettyHead(request, proxies));
    Exchange exchange = new Exchange(this, request, response, callback, call);
    inFlight.begin();
    if (turns.isOver(request.getConnectionMetaData().getConnection())) {
      try {
        request.getContext().execute(exchange::begin);
      } catch (RejectedExecutionException stopping) {
        exchange.failed(stopping);
      }
    } else {
      exchange.begin();
    }
    return true;
  }

  BodyMemory bodyMemory() {
    return bodyMemory;
  }

  AnswerMemory answerMemory() {
    return answerMemory;
  }

  /** Returns the exchanges whose bodies are being read. */
  Set<Exchange> reading() {
    return reading;
  }

  InFlight inFlight() {
    return inFlight;
  }

  void ended() {
    inFlight.end();
  }

  boolean isDraining() {
    return draining;
  }

  /** Lets each answer from now on close its connection, and ends the streams of events. */
  void drain() {
    draining = true;
    events.forEach(StreamSink::close);
  }

  /** Knows a stream of events, which has no end of its own. */
  void stream(StreamSink sink, Answer answer) {
    if (answer.headers().getOrDefault("Content-Type", "").startsWith(EVENTS)) {
      events.removeIf(StreamSink::isClosed);
      events.add(sink);
      if (draining) {
        sink.close();
      }
    }
  }

  /** Logs a failure that has no answer of its own, and returns the answer. */
  Answer unexpected(Throwable failure) {
    LOG.error("A request failed unexpectedly", failure);
    return Problems.of(Outcome.INTERNAL, "The server failed; its log has the cause");
  }
}
