package io.punctual.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Tests the layers of the server: Jetty, the configuration, signed tokens, and the server. */
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.punctual.server");

  @Test
  void packages_areLayers() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("jetty")
        .definedBy("io.punctual.server.jetty")
        .layer("config")
        .definedBy("io.punctual.server.config")
        .layer("jwt")
        .definedBy("io.punctual.server.jwt")
        .layer("server")
        .definedBy("io.punctual.server")
        .whereLayer("server")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("jwt")
        .mayOnlyBeAccessedByLayers("server")
        .whereLayer("config")
        .mayOnlyBeAccessedByLayers("server", "jwt")
        .check(CLASSES);
  }

  @Test
  void onlyTheAdapter_knowsJetty() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.punctual.server.jetty")
        .should()
        .dependOnClassesThat(resideInAPackage("org.eclipse.jetty.."))
        .check(CLASSES);
  }
}
