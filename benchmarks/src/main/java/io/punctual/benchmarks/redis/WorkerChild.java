package io.punctual.benchmarks.redis;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.WorkerOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * A worker process: {@code WorkerChild <url> <concurrency> <quiet> <queue>...}. Prints {@code
 * ready} when all workers have started. Unless it is quiet, also prints the lateness of each
 * delivery in microseconds. Exits when its standard input closes.
 */
final class WorkerChild {
  static final String READY = "ready";

  private WorkerChild() {}

  public static void main(String[] args) throws IOException {
    try (Punctual punctual = Punctual.open(args[0])) {
      WorkerOptions options =
          WorkerOptions.builder().concurrency(Integer.parseInt(args[1])).build();
      boolean quiet = Boolean.parseBoolean(args[2]);
      for (String queue : Arrays.asList(args).subList(3, args.length)) {
        var unused =
            punctual
                .queue(queue, Codec.string())
                .work(
                    options,
                    delivery -> {
                      if (!quiet) {
                        System.out.println(delivery.lateness().toNanos() / 1000);
                      }
                    });
      }
      System.out.println(READY);
      long unused = System.in.transferTo(OutputStream.nullOutputStream());
    }
  }
}
