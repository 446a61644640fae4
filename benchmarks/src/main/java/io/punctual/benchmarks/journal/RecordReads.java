package io.punctual.benchmarks.journal;

import io.punctual.benchmarks.Sample;
import io.punctual.journal.format.RecordReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The cost to read a record from a warm cache and check its checksum: by pread, or from a mapped
 * file. The result is the median of seven rounds. The file stays open until the process ends.
 */
final class RecordReads {
  private static final int LENGTH = 160;
  private static final int ROUNDS = 7;

  private final FileChannel file;
  private final int[] inOrder;

  private RecordReads(FileChannel file, int records) {
    this.file = file;
    inOrder = IntStream.range(0, records).map(record -> record * LENGTH).toArray();
  }

  /** Reads the record that begins at an offset. */
  @FunctionalInterface
  private interface Reader {
    ByteBuffer read(int offset) throws IOException;
  }

  static RecordReads fill(Path folder, int records) throws IOException {
    FileChannel file =
        FileChannel.open(
            folder.resolve("records"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.READ);
    ByteBuffer bytes = ByteBuffer.allocate(records * LENGTH);
    new Random(1).nextBytes(bytes.array());
    while (bytes.hasRemaining()) {
      int unused = file.write(bytes);
    }
    return new RecordReads(file, records);
  }

  List<Sample> pread() throws IOException {
    return measure(
        offset -> {
          ByteBuffer record = ByteBuffer.allocate(LENGTH);
          int unused = file.read(record, offset);
          return record.flip();
        });
  }

  List<Sample> mapped() throws IOException {
    MappedByteBuffer map = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size());
    return measure(
        offset -> {
          byte[] record = new byte[LENGTH];
          map.get(offset, record);
          return ByteBuffer.wrap(record);
        });
  }

  private List<Sample> measure(Reader reader) throws IOException {
    List<Integer> shuffled =
        Arrays.stream(inOrder).boxed().collect(Collectors.toCollection(ArrayList::new));
    Collections.shuffle(shuffled, new Random(2));
    int[] atRandom = shuffled.stream().mapToInt(Integer::intValue).toArray();
    return List.of(
        Sample.cost("in order", "ns", median(inOrder, reader)),
        Sample.cost("at random", "ns", median(atRandom, reader)));
  }

  private static double median(int[] offsets, Reader reader) throws IOException {
    double[] rounds = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      rounds[round] = nanosEach(offsets, reader);
    }
    Arrays.sort(rounds);
    return rounds[ROUNDS / 2];
  }

  private static double nanosEach(int[] offsets, Reader reader) throws IOException {
    int intact = 0;
    long start = System.nanoTime();
    for (int offset : offsets) {
      intact += RecordReader.isIntact(reader.read(offset)) ? 1 : 0;
    }
    long nanos = System.nanoTime() - start;
    if (intact > 0) {
      throw new IllegalStateException(intact + " random records passed their checksum");
    }
    return nanos / (double) offsets.length;
  }
}
