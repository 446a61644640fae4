package io.punctual.benchmarks.queue;

import io.punctual.benchmarks.queue.BeanstalkdConnection.Job;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * beanstalkd. Each concurrent blocking call has its own connection; asynchronous schedules share a
 * connection. A batch is sent in windows of a hundred jobs, without a wait within a window. Up to
 * eight connections reserve jobs; each deletes its job before it reserves the next job.
 */
final class BeanstalkdQueue implements QueueContender {
  private static final int WINDOW = 100;
  private static final int MAX_CLIENTS = 8;

  private final String url;
  private final ConcurrentLinkedQueue<BeanstalkdConnection> idle = new ConcurrentLinkedQueue<>();
  private final BlockingQueue<CompletableFuture<Object>> unanswered = new LinkedBlockingQueue<>();
  private final RepeatingThreads threads = new RepeatingThreads();
  private final Object pipelineLock = new Object();
  private @Nullable BeanstalkdConnection pipeline;

  BeanstalkdQueue(String url) {
    this.url = url;
  }

  /** A call on a connection. */
  @FunctionalInterface
  private interface Call<T> {
    T on(BeanstalkdConnection connection) throws IOException;
  }

  @Override
  public Object schedule(BenchMessage message) throws IOException {
    return call(
        connection -> {
          connection.sendPut(message);
          connection.flush();
          return connection.readInserted();
        });
  }

  @Override
  public CompletionStage<?> scheduleAsync(BenchMessage message) {
    CompletableFuture<Object> answer = new CompletableFuture<>();
    synchronized (pipelineLock) {
      try {
        BeanstalkdConnection connection = pipeline();
        unanswered.add(answer);
        connection.sendPut(message);
        connection.flush();
      } catch (IOException e) {
        answer.completeExceptionally(e);
      }
    }
    return answer;
  }

  private BeanstalkdConnection pipeline() throws IOException {
    if (pipeline == null) {
      BeanstalkdConnection opened = new BeanstalkdConnection(url);
      threads.start(1, () -> answerNext(opened));
      pipeline = opened;
    }
    return pipeline;
  }

  private void answerNext(BeanstalkdConnection connection) throws Exception {
    CompletableFuture<Object> answer = unanswered.take();
    try {
      answer.complete(connection.readInserted());
    } catch (IOException e) {
      answer.completeExceptionally(e);
      throw e;
    }
  }

  @Override
  public List<?> scheduleAll(List<BenchMessage> messages) throws IOException {
    return call(
        connection -> {
          List<Object> ids = new ArrayList<>();
          for (int from = 0; from < messages.size(); from += WINDOW) {
            List<BenchMessage> window =
                messages.subList(from, Math.min(messages.size(), from + WINDOW));
            for (BenchMessage message : window) {
              connection.sendPut(message);
            }
            connection.flush();
            for (int i = 0; i < window.size(); i++) {
              ids.add(connection.readInserted());
            }
          }
          return ids;
        });
  }

  @Override
  public boolean cancel(Object handle) throws IOException {
    return call(connection -> connection.delete((Long) handle));
  }

  @Override
  public void holdBack(Duration time) throws IOException {
    boolean unused = call(connection -> connection.pause(time.toSeconds() + 2));
  }

  private <T> T call(Call<T> call) throws IOException {
    BeanstalkdConnection connection = idle.poll();
    if (connection == null) {
      connection = new BeanstalkdConnection(url);
    }
    T result = call.on(connection);
    idle.add(connection);
    return result;
  }

  @Override
  public void consume(int handlers, Consumer<byte[]> handler) throws IOException {
    for (int i = 0; i < Math.min(handlers, MAX_CLIENTS); i++) {
      BeanstalkdConnection own = new BeanstalkdConnection(url);
      threads.start(
          1,
          () -> {
            Job job = own.reserve();
            handler.accept(job.payload());
            boolean unused = own.delete(job.id());
          });
    }
  }

  @Override
  public void close() throws IOException {
    threads.stop();
    for (BeanstalkdConnection connection : idle) {
      connection.close();
    }
  }
}
