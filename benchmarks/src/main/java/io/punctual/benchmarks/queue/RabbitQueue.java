package io.punctual.benchmarks.queue;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * RabbitMQ with a queue without consumers, from which expired messages move to a second queue by
 * dead-lettering. Messages are persistent, with publisher confirms. Each concurrent blocking call
 * has its own channel; asynchronous schedules share a channel. A queue passes on only the message
 * at its head, and messages cannot be cancelled.
 */
final class RabbitQueue implements QueueContender {
  private static final String DELAYED = "bench.delayed";
  private static final String READY = "bench.ready";
  private static final int PERSISTENT = 2;
  private static final int PREFETCH = 100;
  private static final long CONFIRM_MILLIS = 60_000;

  private final ConnectionFactory factory = new ConnectionFactory();
  private final Connection connection;
  private final ConcurrentLinkedQueue<Channel> idle = new ConcurrentLinkedQueue<>();
  private final ConcurrentNavigableMap<Long, CompletableFuture<Object>> unconfirmed =
      new ConcurrentSkipListMap<>();
  private final Object pipelineLock = new Object();
  private final Channel pipeline;

  RabbitQueue(String url) throws Exception {
    factory.setUri(url);
    connection = factory.newConnection();
    pipeline = connection.createChannel();
    declare();
    pipeline.confirmSelect();
    Object unused =
        pipeline.addConfirmListener(
            (number, andAllBefore) ->
                answer(number, andAllBefore, answer -> answer.complete(number)),
            (number, andAllBefore) ->
                answer(
                    number,
                    andAllBefore,
                    answer -> answer.completeExceptionally(new IOException("refused"))));
  }

  private void declare() throws IOException {
    Object unused = pipeline.queueDeclare(READY, true, false, false, Map.of());
    unused =
        pipeline.queueDeclare(
            DELAYED,
            true,
            false,
            false,
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", READY));
  }

  @Override
  public Object schedule(BenchMessage message) throws Exception {
    return scheduleAll(List.of(message));
  }

  @Override
  public List<?> scheduleAll(List<BenchMessage> messages) throws Exception {
    Channel polled = idle.poll();
    Channel channel = polled == null ? confirming() : polled;
    for (BenchMessage message : messages) {
      publish(channel, message);
    }
    channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
    idle.add(channel);
    return List.of();
  }

  private Channel confirming() throws IOException {
    Channel channel = connection.createChannel();
    channel.confirmSelect();
    return channel;
  }

  @Override
  public CompletionStage<?> scheduleAsync(BenchMessage message) {
    CompletableFuture<Object> answer = new CompletableFuture<>();
    synchronized (pipelineLock) {
      unconfirmed.put(pipeline.getNextPublishSeqNo(), answer);
      try {
        publish(pipeline, message);
      } catch (IOException e) {
        answer.completeExceptionally(e);
      }
    }
    return answer;
  }

  private static void publish(Channel channel, BenchMessage message) throws IOException {
    BasicProperties properties =
        new BasicProperties.Builder()
            .deliveryMode(PERSISTENT)
            .expiration(Long.toString(message.delayMillis()))
            .build();
    channel.basicPublish("", DELAYED, properties, message.payload());
  }

  private void answer(
      long number, boolean andAllBefore, Consumer<CompletableFuture<Object>> ending) {
    ConcurrentNavigableMap<Long, CompletableFuture<Object>> answered =
        unconfirmed.subMap(andAllBefore ? 0L : number, true, number, true);
    answered.values().forEach(ending);
    answered.clear();
  }

  @Override
  public boolean cancel(Object handle) {
    throw new UnsupportedOperationException("RabbitMQ cannot cancel messages");
  }

  @Override
  public void consume(int handlers, Consumer<byte[]> handler) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(handlers);
    Connection consuming = factory.newConnection(threads);
    for (int i = 0; i < handlers; i++) {
      Channel channel = consuming.createChannel();
      channel.basicQos(PREFETCH);
      String unused = channel.basicConsume(READY, false, new Handing(channel, handler));
    }
  }

  /** Runs the handler, then acknowledges. */
  private static final class Handing extends DefaultConsumer {
    private final Consumer<byte[]> handler;

    Handing(Channel channel, Consumer<byte[]> handler) {
      super(channel);
      this.handler = handler;
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, BasicProperties properties, byte[] body) throws IOException {
      handler.accept(body);
      getChannel().basicAck(envelope.getDeliveryTag(), false);
    }
  }

  @Override
  public void close() throws IOException, TimeoutException {
    connection.close();
  }
}
