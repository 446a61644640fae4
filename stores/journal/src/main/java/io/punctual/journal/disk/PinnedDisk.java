package io.punctual.journal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Files of a folder that were opened together and stay readable after the owner of the folder
 * deletes them. Read-only. For one thread at a time.
 */
public final class PinnedDisk implements Disk, AutoCloseable {
  private final Disk disk;
  private final Map<String, DiskFile> files = new LinkedHashMap<>();

  public PinnedDisk(Disk disk) {
    this.disk = disk;
  }

  /** Opens a file, which stays open until this disk is closed. */
  public void pin(String name) throws IOException {
    files.put(name, disk.open(name));
  }

  @Override
  public String describe() {
    return disk.describe();
  }

  @Override
  public List<String> list() {
    return new ArrayList<>(files.keySet());
  }

  @Override
  public DiskFile open(String name) throws IOException {
    DiskFile file = files.get(name);
    if (file == null) {
      throw new IOException("The file " + name + " was not opened with the other files");
    }
    return new Shared(file);
  }

  @Override
  public DiskFile create(String name) {
    throw refused();
  }

  @Override
  public void rename(String from, String to) {
    throw refused();
  }

  @Override
  public void delete(String name) {
    throw refused();
  }

  @Override
  public void force() {
    throw refused();
  }

  @Override
  public long usableBytes() {
    return Long.MAX_VALUE;
  }

  private static UnsupportedOperationException refused() {
    return new UnsupportedOperationException("The files of this journal are only read");
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (DiskFile file : files.values()) {
      try {
        file.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    files.clear();
    if (failure != null) {
      throw failure;
    }
  }

  /** A file whose {@link #close} does nothing, because the {@link PinnedDisk} closes it. */
  private record Shared(DiskFile file) implements DiskFile {
    @Override
    public void write(ByteBuffer bytes, long position) {
      throw refused();
    }

    @Override
    public int read(ByteBuffer bytes, long position) throws IOException {
      return file.read(bytes, position);
    }

    @Override
    public void force() {
      throw refused();
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void close() {
      // The PinnedDisk closes the file.
    }
  }
}
