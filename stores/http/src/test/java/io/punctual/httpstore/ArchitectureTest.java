package io.punctual.httpstore;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Tests the allowed dependencies between the packages of the HTTP store. */
final class ArchitectureTest {
  private static final String ROOT = "io.punctual.httpstore";
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(ROOT);

  /** The two ends have the wire form in common, and know nothing of each other. */
  @Test
  void clientAndService_shareOnlyTheWireForm() {
    none(ROOT + ".wire", ROOT, ROOT + ".client", ROOT + ".service");
    none(ROOT + ".client", ROOT, ROOT + ".service");
    none(ROOT + ".service", ROOT, ROOT + ".client", "java.net.http..");
  }

  private static void none(String from, String... to) {
    noClasses()
        .that()
        .resideInAPackage(from)
        .should()
        .dependOnClassesThat(resideInAnyPackage(to))
        .check(CLASSES);
  }
}
