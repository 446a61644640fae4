package io.punctual.spring.boot.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

final class PunctualTestContextBootstrapper
    extends TestSliceTestContextBootstrapper<PunctualTest> {}
