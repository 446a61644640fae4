package io.punctual.journal.upkeep;

import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.ForceFailedException;
import io.punctual.journal.disk.OpenFailedException;
import io.punctual.journal.report.Damage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A folder that returns zeros in place of the unreadable sectors of its files, and records which
 * sectors these are. Checksums reject the zeros, and the rest of the file can be read. For one
 * thread.
 */
public final class SalvageDisk implements Disk {
  /** The size of a sector in bytes: the least that a disk reads or loses at once. */
  private static final int SECTOR = 512;

  private final Disk disk;

  /** The sectors that could not be read, by file and offset. */
  private final Map<String, TreeMap<Long, Damage>> unreadable = new TreeMap<>();

  public SalvageDisk(Disk disk) {
    this.disk = disk;
  }

  /** The sectors of a file that have proved unreadable so far, in the order of their offsets. */
  List<Damage> unreadable(String name) {
    return List.copyOf(unreadable.getOrDefault(name, new TreeMap<>()).values());
  }

  @Override
  public DiskFile open(String name) throws IOException {
    return new SalvageFile(disk.open(name), name);
  }

  @Override
  public String describe() {
    return disk.describe();
  }

  @Override
  public List<String> list() throws IOException {
    return disk.list();
  }

  @Override
  public DiskFile create(String name) throws IOException {
    return disk.create(name);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    disk.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    disk.delete(name);
  }

  @Override
  public void force() throws ForceFailedException {
    disk.force();
  }

  @Override
  public long usableBytes() throws IOException {
    return disk.usableBytes();
  }

  private final class SalvageFile implements DiskFile {
    private final DiskFile file;
    private final String name;
    private final long size;

    SalvageFile(DiskFile file, String name) throws IOException {
      this.file = file;
      this.name = name;
      size = file.size();
    }

    @Override
    public int read(ByteBuffer bytes, long position) throws IOException {
      int length = (int) Math.max(0, Math.min(bytes.remaining(), size - position));
      ByteBuffer part = bytes.slice(bytes.position(), length);
      if (failure(part, position) != null) {
        readSectors(part, position);
      }
      bytes.position(bytes.position() + length);
      return length;
    }

    private void readSectors(ByteBuffer part, long position) throws IOException {
      int at = 0;
      while (at < part.capacity()) {
        int inSector = (int) ((position + at) % SECTOR);
        int length = Math.min(SECTOR - inSector, part.capacity() - at);
        readSector(part.slice(at, length), position + at, position + at - inSector);
        at += length;
      }
    }

    private void readSector(ByteBuffer part, long position, long sector) throws IOException {
      String why = failure(part, position);
      if (why != null) {
        part.clear().put(new byte[part.capacity()]);
        String reason = "the sector can't be read: " + why;
        unreadable
            .computeIfAbsent(name, file -> new TreeMap<>())
            .putIfAbsent(sector, new Damage(name, sector, reason));
      }
    }

    /**
     * Fills {@code part}, and returns null. If the disk can't read the bytes, returns the reason
     * instead.
     */
    private @Nullable String failure(ByteBuffer part, long position) throws IOException {
      try {
        int read = file.read(part.clear(), position);
        return read < part.capacity() ? "the file ends too early" : null;
      } catch (ClosedChannelException | OpenFailedException e) {
        throw e;
      } catch (IOException e) {
        return String.valueOf(e.getMessage());
      }
    }

    @Override
    public void write(ByteBuffer bytes, long position) throws IOException {
      file.write(bytes, position);
    }

    @Override
    public void force() throws ForceFailedException {
      file.force();
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
