package io.punctual.journal;

import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.ForceFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A disk on which a test can make reads, writes, creations of files, and descriptions fail. */
final class RefusingDisk implements Disk {
  private final Disk disk;
  private volatile Refusal beforeWrite = () -> {};
  private volatile Refusal beforeRead = () -> {};
  private volatile Creation beforeCreate = name -> {};
  private volatile Creation beforeRename = name -> {};
  private volatile Creation beforeDelete = name -> {};
  private volatile Runnable beforeDescribe = () -> {};

  /** Throws to make an operation fail. */
  @FunctionalInterface
  interface Refusal {
    void run() throws IOException;
  }

  /** Throws to make the creation, the renaming or the deletion of a file fail. */
  @FunctionalInterface
  interface Creation {
    void run(String name) throws IOException;
  }

  RefusingDisk(Disk disk) {
    this.disk = disk;
  }

  /** Sets what runs before each write. */
  void beforeWrite(Refusal refusal) {
    beforeWrite = refusal;
  }

  /** Sets what runs before each read of a file that was opened or has ended. */
  void beforeRead(Refusal refusal) {
    beforeRead = refusal;
  }

  /** Sets what runs before each creation of a file. */
  void beforeCreate(Creation refusal) {
    beforeCreate = refusal;
  }

  /** Sets what runs before each renaming of a file; it receives the new name. */
  void beforeRename(Creation refusal) {
    beforeRename = refusal;
  }

  /** Sets what runs before each deletion of a file. */
  void beforeDelete(Creation refusal) {
    beforeDelete = refusal;
  }

  /**
   * Sets what runs before each description of the disk. The log lines of failures have the
   * description, so that a description that fails stands for a logger that fails.
   */
  void beforeDescribe(Runnable refusal) {
    beforeDescribe = refusal;
  }

  @Override
  public String describe() {
    beforeDescribe.run();
    return disk.describe();
  }

  @Override
  public List<String> list() throws IOException {
    return disk.list();
  }

  @Override
  public DiskFile create(String name) throws IOException {
    beforeCreate.run(name);
    return new RefusingFile(disk.create(name), false);
  }

  @Override
  public DiskFile open(String name) throws IOException {
    return new RefusingFile(disk.open(name), true);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    beforeRename.run(to);
    disk.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    beforeDelete.run(name);
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

  @Override
  public long mostFileBytes() {
    return disk.mostFileBytes();
  }

  private final class RefusingFile implements DiskFile {
    private final DiskFile file;
    private volatile boolean hasEnded;

    RefusingFile(DiskFile file, boolean hasEnded) {
      this.file = file;
      this.hasEnded = hasEnded;
    }

    @Override
    public void write(ByteBuffer bytes, long position) throws IOException {
      beforeWrite.run();
      file.write(bytes, position);
    }

    @Override
    public int read(ByteBuffer bytes, long position) throws IOException {
      if (hasEnded) {
        beforeRead.run();
      }
      return file.read(bytes, position);
    }

    @Override
    public void force() throws ForceFailedException {
      file.force();
    }

    @Override
    public void endWrites() {
      hasEnded = true;
      file.endWrites();
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
