package io.punctual.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/**
 * Tests the layers of the command: output, input, command, message, the groups of commands, and the
 * root.
 */
final class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.punctual.cli");

  /** No group of commands may depend on a different group. */
  @Test
  void packages_areLayers() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("output")
        .definedBy("io.punctual.cli.output")
        .layer("input")
        .definedBy("io.punctual.cli.input")
        .layer("command")
        .definedBy("io.punctual.cli.command")
        .layer("message")
        .definedBy("io.punctual.cli.message")
        .layer("deadletter")
        .definedBy("io.punctual.cli.deadletter")
        .layer("demo")
        .definedBy("io.punctual.cli.demo")
        .layer("journal")
        .definedBy("io.punctual.cli.journal")
        .layer("lock")
        .definedBy("io.punctual.cli.lock")
        .layer("migration")
        .definedBy("io.punctual.cli.migration")
        .layer("queue")
        .definedBy("io.punctual.cli.queue")
        .layer("rabbitmq")
        .definedBy("io.punctual.cli.rabbitmq")
        .layer("server")
        .definedBy("io.punctual.cli.server")
        .layer("transfer")
        .definedBy("io.punctual.cli.transfer")
        .layer("root")
        .definedBy("io.punctual.cli")
        .whereLayer("root")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("deadletter")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("demo")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("journal")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("lock")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("migration")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("queue")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("rabbitmq")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("server")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("transfer")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("output")
        .mayNotAccessAnyLayer()
        .whereLayer("input")
        .mayOnlyAccessLayers("output")
        .whereLayer("message")
        .mayOnlyBeAccessedByLayers("queue", "deadletter")
        .whereLayer("message")
        .mayOnlyAccessLayers("output", "input")
        .whereLayer("command")
        .mayOnlyAccessLayers("input", "output")
        .check(CLASSES);
  }

  /** The command uses the published API, and only the exported packages of the stores' modules. */
  @Test
  void command_knowsNoInternalsOfStoresOrRuntime() {
    classes()
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("io.punctual..")
                .negate()
                .or(
                    resideInAnyPackage(
                        "io.punctual",
                        "io.punctual.deadletter",
                        "io.punctual.task",
                        "io.punctual.event",
                        "io.punctual.spi",
                        "io.punctual.cli..",
                        "io.punctual.jackson",
                        "io.punctual.journal",
                        "io.punctual.journal.report",
                        "io.punctual.lock",
                        "io.punctual.migration",
                        "io.punctual.migration.copy",
                        "io.punctual.migration.deadletter",
                        "io.punctual.migration.redis",
                        "io.punctual.migration.redisson",
                        "io.punctual.migration.sql",
                        "io.punctual.cron",
                        "io.punctual.rabbitmq",
                        "io.punctual.http.access",
                        "io.punctual.server",
                        "io.punctual.server.config",
                        "io.punctual.timer",
                        "io.punctual.view")))
        .check(CLASSES);
  }
}
