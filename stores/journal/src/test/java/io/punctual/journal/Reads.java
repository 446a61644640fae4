package io.punctual.journal;

import io.punctual.journal.format.RecordReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures the cost to read a record and check its checksum, by pread and from a mapped file, both
 * from a warm cache: medians of seven rounds of each, taken in turns. Run by {@code -Dtest=Reads}.
 */
final class Reads {
  private static final int RECORDS = 400_000;
  private static final int LENGTH = 160;
  private static final int ROUNDS = 7;

  private int intact;

  /** Reads the record that begins at a byte. */
  private interface Reader {
    ByteBuffer read(int offset) throws IOException;
  }

  @Test
  void measure(@TempDir Path folder) throws IOException {
    int[] inOrder = IntStream.range(0, RECORDS).map(record -> record * LENGTH).toArray();
    try (FileChannel file = fill(folder.resolve("records"))) {
      MappedByteBuffer map = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size());
      compare("in order", inOrder, file, map);
      compare("at random", shuffled(inOrder), file, map);
    }
    System.out.printf(Locale.ROOT, "%,d reads%n", intact);
  }

  private static FileChannel fill(Path path) throws IOException {
    FileChannel file =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);
    ByteBuffer bytes = ByteBuffer.allocate(RECORDS * LENGTH);
    new Random(1).nextBytes(bytes.array());
    while (bytes.hasRemaining()) {
      int unused = file.write(bytes);
    }
    return file;
  }

  private static int[] shuffled(int[] inOrder) {
    int[] order = inOrder.clone();
    Random random = new Random(2);
    for (int i = order.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int moved = order[i];
      order[i] = order[other];
      order[other] = moved;
    }
    return order;
  }

  private void compare(String order, int[] offsets, FileChannel file, MappedByteBuffer map)
      throws IOException {
    double[] pread = new double[ROUNDS];
    double[] mapped = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      pread[round] = nanosEach(offsets, offset -> pread(file, offset));
      mapped[round] = nanosEach(offsets, offset -> copied(map, offset));
    }
    Arrays.sort(pread);
    Arrays.sort(mapped);
    System.out.printf(
        Locale.ROOT,
        "a record read %s: %.0f ns by pread, %.0f ns from a mapped file%n",
        order,
        pread[ROUNDS / 2],
        mapped[ROUNDS / 2]);
  }

  private static ByteBuffer pread(FileChannel file, int offset) throws IOException {
    ByteBuffer record = ByteBuffer.allocate(LENGTH);
    int unused = file.read(record, offset);
    return record.flip();
  }

  private static ByteBuffer copied(MappedByteBuffer map, int offset) {
    byte[] record = new byte[LENGTH];
    map.get(offset, record);
    return ByteBuffer.wrap(record);
  }

  private double nanosEach(int[] offsets, Reader reader) throws IOException {
    long begun = System.nanoTime();
    for (int offset : offsets) {
      intact += RecordReader.isIntact(reader.read(offset)) ? 2 : 1;
    }
    return (System.nanoTime() - begun) / (double) offsets.length;
  }
}
