package io.punctual.benchmarks.redis;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.WorkerOptions;
import io.punctual.redis.RedisStore;
import io.punctual.timer.WheelTimer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A process with many clients, each with connections and workers of its own, in place of as many
 * processes: {@code ClientsChild <url> <first client> <clients> <queues of a client>}. Prints
 * {@code ready} when all workers have started, then a line for each delivery. Exits when its
 * standard input closes.
 */
final class ClientsChild {
  static final String READY = "ready";

  private ClientsChild() {}

  static String queue(int client, int number) {
    return "of-" + client + "-" + number;
  }

  public static void main(String[] args) throws IOException {
    int first = Integer.parseInt(args[1]);
    int last = first + Integer.parseInt(args[2]);
    int queues = Integer.parseInt(args[3]);
    ClientResources threads = DefaultClientResources.create();
    WheelTimer timer = WheelTimer.create();
    WorkerOptions options = WorkerOptions.builder().concurrency(1).build();
    List<Punctual> clients = new ArrayList<>();
    for (int client = first; client < last; client++) {
      RedisStore store = RedisStore.builder().url(args[0]).resources(threads).timer(timer).open();
      Punctual punctual = Punctual.builder().store(store).timer(timer).build();
      clients.add(punctual);
      for (int i = 0; i < queues; i++) {
        var unused =
            punctual
                .queue(queue(client, i), Codec.string())
                .work(options, delivery -> System.out.println(delivery.queue()));
      }
    }
    System.out.println(READY);
    long unused = System.in.transferTo(OutputStream.nullOutputStream());
    clients.forEach(Punctual::close);
    var unusedEnd = threads.shutdown();
    timer.close();
  }
}
