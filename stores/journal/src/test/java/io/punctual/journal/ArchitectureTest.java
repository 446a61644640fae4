package io.punctual.journal;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
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
