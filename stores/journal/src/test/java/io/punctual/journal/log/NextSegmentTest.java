package io.punctual.journal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.disk.ForceFailedException;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.format.SegmentHeader;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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

  @Test
  void create_forceAndCloseFail_throwsTheFailureOfTheForce(@TempDir Path folder) throws Exception {
    Folder taken = Folder.take(folder, false);
    DiskFile file =
        proxy(
            DiskFile.class,
            Map.of(
                "force", new ForceFailedException("a.log", new IOException("no space")),
                "close", new IOException("the close failed")));
    Disk disk = proxy(Disk.class, Map.of("create", file));
    NextSegment next =
        new NextSegment(disk, new ManifestFile(taken.disk(), new Manifest(1, 2, 3, List.of())));

    assertThatThrownBy(() -> next.create(segment(1)))
        .isInstanceOf(ForceFailedException.class)
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    taken.ownership().close();
  }

  /** Returns an object whose methods return or throw these results, and otherwise do nothing. */
  private static <T> T proxy(Class<T> type, Map<String, Object> results) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              Object result = results.get(method.getName());
              if (result instanceof Throwable failure) {
                throw failure;
              }
              return result;
            });
    return type.cast(proxy);
  }
}
