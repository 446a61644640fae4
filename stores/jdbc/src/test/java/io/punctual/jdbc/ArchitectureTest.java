package io.punctual.jdbc;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Tests the allowed dependencies between the packages of the SQL store. */
final class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.punctual.jdbc");

  @Test
  void packages_knowOnlyTheLayersBelow() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("store")
        .definedBy("io.punctual.jdbc")
        .layer("partition")
        .definedBy("io.punctual.jdbc.partition")
        .layer("sql")
        .definedBy("io.punctual.jdbc.sql")
        .whereLayer("store")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("partition")
        .mayOnlyBeAccessedByLayers("store")
        .check(CLASSES);
  }
}
