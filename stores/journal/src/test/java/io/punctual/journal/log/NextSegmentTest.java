package io.punctual.journal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.format.SegmentHeader;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NextSegmentTest {
  private static Segment segment(int number) {
    return new Segment(new SegmentHeader(number, number, number, 0, 1, 2));
  }

  /** The log fills the first segment while the writer still creates its file. */
  @Test
  void ask_whileTheSegmentBeforeIsCreated_isNotForgotten(@TempDir Path folder) throws Exception {
    Segment first = segment(1);
    Segment second = segment(2);
    Folder taken = Folder.take(folder, false);
    Disk disk = taken.disk();
    NextSegment next =
        new NextSegment(disk, new ManifestFile(disk, new Manifest(1, 2, 3, List.of())));
    next.ask(second);
    next.create(first);

    assertThat(next.isMissing()).isTrue();
    next.begun();
    next.create();
    assertThat(next.isMissing()).isFalse();
    assertThat(second.isOpened()).isTrue();
    next.delete();
    first.opened().close();
    taken.ownership().close();
  }
}
