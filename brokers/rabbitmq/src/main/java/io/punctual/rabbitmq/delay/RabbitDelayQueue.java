package io.punctual.rabbitmq.delay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.ConnectionFactory;
import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.Limits;
import io.punctual.Message;
import io.punctual.WorkerOptions;
import io.punctual.internal.runtime.ApplicableOptions;
import io.punctual.rabbitmq.internal.Endpoint;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A delay queue on RabbitMQ alone. Messages wait in the broker, and a worker receives them when
 * they are due.
 *
 * <pre>{@code
 * RabbitDelayQueue<String> emails =
 *     RabbitDelayQueue.open("amqp://localhost", "emails", Codec.string());
 * emails.publish("Welcome", Duration.ofMinutes(10));
 * RabbitWorker worker = emails.work(delivery -> send(delivery.payload()));
 * }</pre>
 *
 * <p>The broker delivers at least once: a message whose publish was confirmed is delivered, if
 * necessary again, until it is acked, retried or buried. It is never early by the broker's clock;
 * for {@link DelayMethod#PARKING}, this requires that the clocks of the publishers and the broker
 * agree. It is late by the hops between the broker's queues; with {@link DelayMethod#LEVELS}, also
 * by up to the grain ({@link RabbitDelayQueueBuilder#grain}). The default queue type {@link
 * QueueType#QUORUM} loses no confirmed message in a crash of the broker.
 *
 * <p>A message can't be found, cancelled or rescheduled, and ids are not unique. Use a store of
 * Punctual if you need these operations.
 *
 * <p>The queue has a connection for publishers and a connection for each worker. With {@link
 * DelayMethod#PARKING}, it has a further connection, which parks messages. It connects again after
 * a failure. Safe for use by many threads.
 *
 * @param <T> the payload's type
 */
public final class RabbitDelayQueue<T> implements AutoCloseable {
  /** The concurrency is also the prefetch of the consumer, which the broker limits. */
  private static final int MAX_CONCURRENCY = 10_000;

  private static final int PERSISTENT = 2;
  private static final Duration PUBLISHER_GRACE = Duration.ofSeconds(10);

  private final String name;
  private final Codec<T> codec;
  private final Levels levels;
  private final Connections connections;
  private final @Nullable Parker parker;
  private final Publisher publisher;
  private final HeldDelivery.Settling settling;
  private final DelayLog log;
  private final String deadLetters;

  @GuardedBy("this") private final List<RabbitWorker> workers = new ArrayList<>();

  @GuardedBy("this") private boolean closed;

  RabbitDelayQueue(RabbitDelayQueueBuilder<T> builder) {
    name = builder.name();
    codec = builder.codec();
    levels = builder.levels();
    log = new DelayLog(name);
    Endpoint endpoint =
        new Endpoint(
            "punctual " + name, builder.factory(), builder.addresses(), builder.publishTimeout());
    parker = ParkingChoice.choose(builder, endpoint, log);
    Topology topology = topology(builder, parker != null);
    connections = new Connections(endpoint, topology);
    publisher =
        new Publisher(
            connections.connector("punctual " + name + " publisher"),
            name,
            parker == null ? levels : new ParkingQueue(),
            builder.publishTimeout());
    deadLetters = topology.deadLetters();
    settling = new HeldDelivery.Settling(new Forwarding(name, deadLetters), publisher, levels);
    start();
  }

  private static Topology topology(RabbitDelayQueueBuilder<?> builder, boolean parks) {
    return new Topology(builder.levels(), builder.type(), builder.name(), parks);
  }

  private void start() {
    boolean started = false;
    try {
      publisher.connect();
      if (parker != null) {
        parker.start();
      }
      started = true;
    } finally {
      if (!started) {
        close();
      }
    }
  }

  /**
   * Connects with the default options.
   *
   * @param uri for example {@code amqp://user:password@host:5672/vhost}. With {@code amqps:}, the
   *     certificate of the broker is verified by the trust store of the JVM, and must have the name
   *     of the host
   * @throws io.punctual.PunctualException as {@link RabbitDelayQueueBuilder#open}
   */
  public static <T> RabbitDelayQueue<T> open(String uri, String name, Codec<T> codec) {
    ConnectionFactory factory = new ConnectionFactory();
    SSLContext tls = null;
    try {
      factory.setUri(uri);
      if (factory.isSSL()) {
        // Without this context, RabbitMQ's client would accept every certificate.
        tls = SSLContext.getDefault();
        factory.useSslProtocol(tls);
        factory.enableHostnameVerification();
      }
    } catch (URISyntaxException | GeneralSecurityException e) {
      throw new IllegalArgumentException("The URI of RabbitMQ is not valid", e);
    }
    RabbitDelayQueueBuilder<T> builder = builder(factory, name, codec);
    return (tls == null ? builder : builder.sslContext(tls)).open();
  }

  /**
   * Returns a builder with the default options.
   *
   * @param factory the address, the user, TLS and time-outs; the queue uses a copy without the
   *     client's automatic recovery
   * @param name 1 to 190 letters, digits, dots, dashes and underscores; the broker's queue has this
   *     name, and the dead-letter queue has this name and {@code .dead}
   */
  public static <T> RabbitDelayQueueBuilder<T> builder(
      ConnectionFactory factory, String name, Codec<T> codec) {
    return new RabbitDelayQueueBuilder<>(factory, name, codec);
  }

  /** Returns the queue's name. */
  public String name() {
    return name;
  }

  /** Returns the name of the dead-letter queue, for any client of RabbitMQ. */
  public String deadLetterQueue() {
    return deadLetters;
  }

  /** Publishes a message without headers, as {@link #publish(Object, Duration, Map)}. */
  public String publish(T payload, Duration delay) {
    return publish(payload, delay, Map.of());
  }

  /**
   * Publishes a message, and returns its id when the broker has confirmed it. The id is random;
   * consumers receive it as the property {@code message-id}.
   *
   * @param delay from now; levels round it up to the grain; a negative delay means now
   * @param headers see {@link Limits}; the names {@code CC}, {@code BCC}, those that begin with
   *     {@code x-punctual-}, and RabbitMQ's own such as {@code x-death} are reserved
   * @throws IllegalArgumentException if the delay, a header or the payload exceeds its limit, or
   *     the name of a header is reserved
   * @throws io.punctual.StoreUnavailableException if the broker can't be reached within the
   *     time-out, or blocks publishers because of an alarm; nothing was stored
   * @throws io.punctual.OutcomeUnknownException if the confirmation did not arrive; the message may
   *     have been stored, and a second publish can duplicate it
   * @throws io.punctual.StoreRefusedException if the broker refuses the message
   * @throws io.punctual.ClientBusyException if too many messages wait for their confirmation
   * @throws ClientClosedException if the queue is closed
   */
  public String publish(T payload, Duration delay, Map<String, String> headers) {
    return publisher.publish(message(payload, delay, headers));
  }

  /** The asynchronous form of {@link #publish(Object, Duration)}. */
  public CompletionStage<String> publishAsync(T payload, Duration delay) {
    return publishAsync(payload, delay, Map.of());
  }

  /**
   * The asynchronous form of {@link #publish(Object, Duration, Map)}: returns when the message is
   * on its way to the thread that sends, and the stage completes with the confirmation, or fails
   * with an exception of that method. So a thread can have 1,000 messages in flight. The call
   * blocks up to the time-out while the client connects, while the broker blocks publishers, and
   * while 1,000 messages are in flight; it throws the exceptions of these waits. Callbacks of the
   * stage can run on the thread that reads from the broker, so they must not block.
   */
  public CompletionStage<String> publishAsync(
      T payload, Duration delay, Map<String, String> headers) {
    return publisher.send(message(payload, delay, headers));
  }

  private DelayedMessage message(T payload, Duration delay, Map<String, String> headers) {
    long millis = levels.millis(delay);
    long dueNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    Map<String, String> texts = new LinkedHashMap<>(headers);
    byte[] body = codec.encode(payload, texts);
    Headers.check(texts);
    Message.check(Message.of(body).headers(texts));
    Map<String, Object> all = new LinkedHashMap<>(texts);
    all.put(Headers.DUE_AT, System.currentTimeMillis() + millis);
    String id = UUID.randomUUID().toString();
    BasicProperties properties =
        new BasicProperties.Builder().messageId(id).deliveryMode(PERSISTENT).headers(all).build();
    return new DelayedMessage(id, name, dueNanos, properties, body);
  }

  /** Starts a worker with the default options. */
  public RabbitWorker work(RabbitHandler<T> handler) {
    return work(WorkerOptions.DEFAULT, handler);
  }

  static void checkApplicable(WorkerOptions options) {
    ApplicableOptions.check(
        options,
        Set.of("concurrency", "retryPolicy", "shutdownGrace")::contains,
        "A worker of a RabbitDelayQueue",
        "set only concurrency, retryPolicy and shutdownGrace");
    if (options.concurrency() > MAX_CONCURRENCY) {
      throw new IllegalArgumentException(
          "concurrency must be between 1 and "
              + MAX_CONCURRENCY
              + " on a RabbitDelayQueue, but was "
              + options.concurrency());
    }
  }

  /**
   * Starts a worker: calls the handler for each due message. The close of the queue also closes the
   * worker.
   *
   * <p>Three options apply; others are refused. The concurrency, up to 10,000, is also the largest
   * number of unacked messages. Levels round the delays of the retry policy up to the grain. If the
   * policy throws, or a delay exceeds the limit of the queue, the worker logs this, and retries the
   * message after a minute, or after the longest delay of the queue if this is shorter. The
   * shutdown grace is how long a close waits for running handlers before it interrupts them.
   *
   * @param options only with concurrency, retry policy and shutdown grace
   * @throws IllegalArgumentException if an option is set that does not apply; the message names it
   * @throws io.punctual.PunctualException as {@link RabbitDelayQueueBuilder#open}
   */
  public RabbitWorker work(WorkerOptions options, RabbitHandler<T> handler) {
    checkApplicable(options);
    HandlerRun<T> handlers = new HandlerRun<>(codec, handler, options.retryPolicy(), settling, log);
    RabbitWorker worker =
        new RabbitWorker(
            connections.connector("punctual " + name + " worker"), name, options, handlers, log);
    synchronized (this) {
      checkOpen();
      workers.removeIf(RabbitWorker::isClosed);
      workers.add(worker);
    }
    boolean started = false;
    try {
      worker.start(); // not under the monitor, because a silent broker must not hold up a close
      started = true;
    } finally {
      if (!started) {
        worker.close(Duration.ZERO);
      }
    }
    checkOpen();
    return worker;
  }

  private synchronized void checkOpen() {
    if (closed) {
      throw new ClientClosedException("The delay queue '" + name + "' is closed");
    }
  }

  /**
   * Closes the workers, each with the grace period of its options, then waits up to ten seconds for
   * the confirmations of messages that were sent, and closes the connections. Idempotent.
   */
  @Override
  public void close() {
    List<RabbitWorker> last;
    synchronized (this) {
      closed = true;
      last = List.copyOf(workers);
    }
    last.forEach(RabbitWorker::beginClose);
    last.forEach(RabbitWorker::close);
    publisher.close(PUBLISHER_GRACE);
    if (parker != null) {
      parker.close();
    }
  }
}
