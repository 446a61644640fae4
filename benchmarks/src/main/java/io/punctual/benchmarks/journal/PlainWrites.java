package io.punctual.benchmarks.journal;

import io.punctual.benchmarks.CpuWatch;
import io.punctual.benchmarks.Sample;
import io.punctual.journal.format.FrameFormat;
import io.punctual.journal.format.Id;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Writes a plain file, with which the journal is compared: encodes each batch as records, appends
 * the records to the file, and forces the file to disk.
 */
final class PlainWrites {
  private final Path folder;

  PlainWrites(Path folder) {
    this.folder = folder;
  }

  /** Measures the writes after a warm-up of the same size. */
  List<Sample> measure(int batch, int messages) throws IOException {
    List<List<Operation.Schedule>> batches = WriteRates.schedules(batch, messages);
    var unused = write(batches, messages);
    return write(batches, messages);
  }

  private List<Sample> write(List<List<Operation.Schedule>> batches, int messages)
      throws IOException {
    Path path = folder.resolve("plain");
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      CpuWatch watch = new CpuWatch();
      long sequence = 0;
      for (List<Operation.Schedule> batch : batches) {
        append(file, batch, sequence);
        sequence += batch.size();
        file.force(false);
      }
      return watch.rateOf(messages);
    } finally {
      Files.delete(path);
    }
  }

  private static void append(FileChannel file, List<Operation.Schedule> batch, long first)
      throws IOException {
    RecordBuffer records = new RecordBuffer(FrameFormat.HEADER);
    long sequence = first;
    for (Operation.Schedule schedule : batch) {
      Id id = Id.of(schedule.id(), 1);
      byte[] content = ContentFormat.encode(schedule.content());
      records.message(1, sequence++, schedule.due().millis(), id, content);
    }
    ByteBuffer frame = records.written();
    var unused = FrameFormat.seal(frame, batch.size(), 0, 0, 1, file.position());
    while (frame.hasRemaining()) {
      unused = file.write(frame);
    }
  }
}
