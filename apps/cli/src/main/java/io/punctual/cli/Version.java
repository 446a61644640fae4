package io.punctual.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** Provides the version from the jar's manifest, and the version of Java. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {
      "punctual " + Objects.requireNonNullElse(version, "(not packaged)"),
      "Java " + Runtime.version() + " (" + System.getProperty("java.vm.name") + ")"
    };
  }
}
