package io.punctual.benchmarks.journal;

import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.Sample;
import java.nio.file.Path;
import java.util.List;

/**
 * The process of a measurement: {@code JournalChild <work> <folder> <size> <pending>}. Prints
 * samples. The folder must be empty.
 */
final class JournalChild {
  private JournalChild() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]);
    int size = Integer.parseInt(args[2]);
    int pending = Integer.parseInt(args[3]);
    List<Sample> samples =
        switch (JournalWork.valueOf(args[0])) {
          case PLAIN_BATCHES -> new PlainWrites(folder).measure(WriteRates.BATCH, size);
          case PLAIN_SMALL -> new PlainWrites(folder).measure(WriteRates.CALLERS, size);
          case PARTITION_BATCHES -> new WriteRates(folder).partitionBatches(size);
          case CLIENT_BATCHES -> new WriteRates(folder).clientBatches(size);
          case SINGLE_CALLS -> new WriteRates(folder).singleCalls(size);
          case CLAIMS_AND_ACKS -> new WriteRates(folder).claimsAndAcks(size);
          case LATENESS -> new PacedDeliveries(size).measure(folder, pending);
          case MANY_PENDING -> new ManyPending(folder).measure(size);
          case PREAD -> RecordReads.fill(folder, size).pread();
          case MAPPED_FILE -> RecordReads.fill(folder, size).mapped();
        };
    Child.print(samples);
    System.exit(0);
  }
}
