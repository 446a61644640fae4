package io.punctual.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** Tells the version that the jar's manifest names. */
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
