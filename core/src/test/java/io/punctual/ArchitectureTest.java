package io.punctual;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.ObjectInputStream;
import org.junit.jupiter.api.Test;

/** Checks the permitted dependencies between packages, which CONTRIBUTING.md shows as a map. */
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.punctual");

  @Test
  void timer_knowsOnlyTheJdk() {
    classes()
        .that()
        .resideInAPackage("io.punctual.timer..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("io.punctual.timer..", "java..", "org.jspecify.."))
        .check(CLASSES);
  }

  @Test
  void core_knowsOnlyTheTimerTheJdkAndSlf4j() {
    classes()
        .that()
        .resideInAPackage("io.punctual..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                "io.punctual..",
                "java..",
                "org.jspecify..",
                "org.slf4j..",
                "com.google.errorprone.annotations.."))
        .check(CLASSES);
  }

  @Test
  void spi_knowsNeitherRuntimeNorStores() {
    noClasses()
        .that()
        .resideInAnyPackage("io.punctual.spi..", "io.punctual.event..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.punctual.internal..", "io.punctual.memory..")
        .check(CLASSES);
  }

  @Test
  void stores_knowOnlyTheSpi() {
    noClasses()
        .that()
        .resideInAPackage("io.punctual.memory..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.punctual.internal..")
        .check(CLASSES);
  }

  @Test
  void runtime_knowsNoStore() {
    noClasses()
        .that()
        .resideInAnyPackage("io.punctual", "io.punctual.internal..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.punctual.memory..")
        .check(CLASSES);
  }

  @Test
  void internals_areLayers() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("runtime")
        .definedBy("io.punctual.internal.runtime")
        .layer("session")
        .definedBy("io.punctual.internal.session")
        .layer("partition")
        .definedBy("io.punctual.internal.partition")
        .layer("worker")
        .definedBy("io.punctual.internal.worker")
        .layer("client")
        .definedBy("io.punctual.internal.client")
        .whereLayer("client")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("worker")
        .mayOnlyBeAccessedByLayers("client")
        .whereLayer("partition")
        .mayOnlyBeAccessedByLayers("client", "worker")
        .whereLayer("session")
        .mayOnlyBeAccessedByLayers("client", "worker", "partition")
        .check(CLASSES);
  }

  @Test
  void publicApi_showsNoInternalType() {
    DescribedPredicate<JavaClass> internal = resideInAnyPackage("io.punctual.internal..");
    methods()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat(resideInAnyPackage("io.punctual", "io.punctual.spi.."))
        .should()
        .notHaveRawReturnType(internal)
        .check(CLASSES);
  }

  @Test
  void nobody_readsJavaSerializationOrSleeps() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ObjectInputStream.class)
        .check(CLASSES);
    noClasses().should().callMethod(Thread.class, "sleep", long.class).check(CLASSES);
  }
}
