package io.punctual.redis;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.WorkerOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** A worker process of {@link WaitingBenchmark}: {@code url concurrency quiet queue...}. */
final class WaitingWorker {
  private WaitingWorker() {}

  public static void main(String[] args) throws InterruptedException, IOException {
    try (Punctual punctual = Punctual.open(args[0])) {
      WorkerOptions options =
          WorkerOptions.builder().concurrency(Integer.parseInt(args[1])).build();
      boolean quiet = Boolean.parseBoolean(args[2]);
      for (String queue : Arrays.asList(args).subList(3, args.length)) {
        punctual
            .queue(queue, Codec.string())
            .work(
                options,
                delivery -> {
                  if (!quiet) {
                    System.out.println("late " + delivery.lateness().toNanos() / 1000);
                  }
                });
      }
      System.out.println("ready");
      // Ends with its parent, since the pipe closes.
      long unused = System.in.transferTo(OutputStream.nullOutputStream());
    }
  }
}
