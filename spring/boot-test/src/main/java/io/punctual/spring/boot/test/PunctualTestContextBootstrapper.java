package io.punctual.spring.boot.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Starts the contexts of {@link PunctualTest}. */
final class PunctualTestContextBootstrapper
    extends TestSliceTestContextBootstrapper<PunctualTest> {}
