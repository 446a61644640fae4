package io.punctual.kit.kill;

import io.punctual.kit.process.JavaProcess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * An archive of loaded classes, which JVMs share.
 *
 * @param file the archive
 * @param classPath a class path of jars only, because an archive can't contain classes of folders
 */
record ClassArchive(Path file, String classPath) {
  /** Packs each folder of the class path into a jar in the given folder. */
  static ClassArchive in(Path folder) {
    List<String> jars = new ArrayList<>();
    for (String entry : JavaProcess.classPath().split(File.pathSeparator, -1)) {
      Path classes = Path.of(entry);
      if (Files.isDirectory(classes)) {
        Path jar = folder.resolve(jars.size() + ".jar");
        pack(classes, jar);
        jars.add(jar.toString());
      } else if (Files.isRegularFile(classes)) {
        jars.add(entry);
      }
    }
    return new ClassArchive(folder.resolve("classes.jsa"), String.join(File.pathSeparator, jars));
  }

  private static void pack(Path classes, Path jar) {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        String name = classes.relativize(file).toString().replace(File.separatorChar, '/');
        out.putNextEntry(new JarEntry(name));
        Files.copy(file, out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Lets a process write the archive at its end. */
  JavaProcess.Builder write(JavaProcess.Builder process) {
    return process.classPath(classPath).options("-XX:ArchiveClassesAtExit=" + file);
  }

  JavaProcess.Builder read(JavaProcess.Builder process) {
    return process.classPath(classPath).options("-XX:SharedArchiveFile=" + file);
  }
}
