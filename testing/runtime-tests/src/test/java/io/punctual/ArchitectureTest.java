package io.punctual;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.punctual.timer.DueTimer;
import java.io.ObjectInputStream;
import java.net.URL;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Checks the permitted dependencies between packages, which CONTRIBUTING.md shows as a map, and
 * some rules for all classes.
 */
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter().importUrls(List.of(home(Punctual.class), home(DueTimer.class)));

  /** The internal packages from the bottom up. Packages of one layer do not use each other. */
  private static final List<List<String>> INTERNAL_LAYERS =
      List.of(
          List.of("log"),
          List.of("message"),
          List.of("runtime"),
          List.of("session"),
          List.of("partition"),
          List.of("delivery"),
          List.of("handler"),
          List.of("claim", "worker"),
          List.of("queue"),
          List.of("task"),
          List.of("deadletter"),
          List.of("client"));

  private static URL home(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

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
    Set<String> above =
        CLASSES.stream()
            .map(JavaClass::getPackageName)
            .filter(name -> name.startsWith("io.punctual.internal."))
            .collect(Collectors.toCollection(TreeSet::new));
    for (List<String> layer : INTERNAL_LAYERS) {
      for (String name : layer) {
        assertThat(above).contains("io.punctual.internal." + name);
        Set<String> others = new TreeSet<>(above);
        others.remove("io.punctual.internal." + name);
        noClasses()
            .that()
            .resideInAPackage("io.punctual.internal." + name)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(others.toArray(String[]::new))
            .check(CLASSES);
      }
      layer.forEach(name -> above.remove("io.punctual.internal." + name));
    }
    assertThat(above).as("packages without a layer").isEmpty();
  }

  /** The types of the API that the SPI and the parts of messages use must not use them in turn. */
  @Test
  void spiAndMessages_haveNoCircleWithTheApi() {
    List<JavaClass> api = inPackages("io.punctual");
    for (JavaClass below : inPackages("io.punctual.spi", "io.punctual.internal.message")) {
      Set<JavaClass> used = transitivelyUsed(below);
      assertThat(api)
          .as("types of the API in a circle with %s", below)
          .noneMatch(type -> used.contains(type) && transitivelyUsed(type).contains(below));
    }
  }

  private static List<JavaClass> inPackages(String... names) {
    return CLASSES.stream().filter(type -> List.of(names).contains(type.getPackageName())).toList();
  }

  private static Set<JavaClass> transitivelyUsed(JavaClass type) {
    return type.getTransitiveDependenciesFromSelf().stream()
        .map(Dependency::getTargetClass)
        .collect(Collectors.toSet());
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
}
