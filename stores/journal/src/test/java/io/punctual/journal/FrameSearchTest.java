package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileWindow;
import io.punctual.journal.disk.ForceFailedException;
import io.punctual.journal.format.FrameFormat;
import io.punctual.journal.format.FrameReader;
import io.punctual.journal.format.RecordBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests the search for frames in a damaged segment with payloads full of fake headers. */
final class FrameSearchTest {
  private static final long SALT = 0x1234_5678_9ABC_DEF0L;

  /**
   * The length in each fake header reaches almost to the end of the file. The search must not read
   * that many bytes for each header.
   */
  @Test
  void next_bytesFullOfFakeHeaders_readsEachByteOnceAndFindsTheFrameBehindThem()
      throws IOException {
    int length = 4 << 20;
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.remaining() >= 2 * FrameFormat.HEADER) {
      bytes.putInt(FrameFormat.MAGIC).putInt(length - bytes.position() - 1000);
      bytes.position(bytes.position() + FrameFormat.HEADER - 8);
    }
    RecordBuffer footer = new RecordBuffer(FrameFormat.HEADER);
    footer.footer();
    int at = length - 100;
    int unused = FrameFormat.seal(footer.written(), 1, 0, 0, SALT, at);
    bytes.put(at, footer.written(), 0, footer.size());
    SimulatedDisk disk = new SimulatedDisk(new Random(1));
    disk.put("segment", bytes.array());
    CountingFile file = new CountingFile(disk.open("segment"));

    assertThat(new FrameReader(new FileWindow(file, "segment"), SALT).next(0)).isEqualTo(at);

    assertThat(file.read).isLessThan(2L * length);
  }

  /** A file that counts the bytes of its reads. */
  private static final class CountingFile implements DiskFile {
    private final DiskFile file;
    private long read;

    CountingFile(DiskFile file) {
      this.file = file;
    }

    @Override
    public void write(ByteBuffer bytes, long position) throws IOException {
      file.write(bytes, position);
    }

    @Override
    public int read(ByteBuffer bytes, long position) throws IOException {
      int count = file.read(bytes, position);
      read += count;
      return count;
    }

    @Override
    public void force() throws ForceFailedException {
      file.force();
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
