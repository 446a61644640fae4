package io.punctual.journal;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the allowed dependencies between the packages of the journal. */
final class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.punctual.journal");

  @Test
  void packages_haveNoCycle() {
    slices().assignedFrom(new ByPackage()).should().beFreeOfCycles().check(CLASSES);
  }

  /** The package of the reports is exported, so it must not depend on the internal packages. */
  @Test
  void report_knowsNoOtherPackageOfTheJournal() {
    classes()
        .that()
        .resideInAPackage("io.punctual.journal.report")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                "io.punctual.journal.report", "io.punctual", "java..", "org.jspecify.."))
        .check(CLASSES);
  }

  /**
   * These methods start a thread of the JDK for ever, which keeps the class loader of the
   * application that calls them first.
   */
  @Test
  void nobody_usesTheTimeOutsOfFutures() {
    for (String method : List.of("orTimeout", "completeOnTimeout", "delayedExecutor")) {
      noClasses()
          .should()
          .callMethodWhere(target(owner(type(CompletableFuture.class))).and(target(name(method))))
          .check(CLASSES);
    }
  }

  private static final class ByPackage implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return SliceIdentifier.of(type.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages of the journal";
    }
  }
}
