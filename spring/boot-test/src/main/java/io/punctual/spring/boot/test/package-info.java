/**
 * Tests of Spring Boot applications with Punctual: queues in memory, on a clock that the test
 * moves.
 */
@NullMarked
package io.punctual.spring.boot.test;

import org.jspecify.annotations.NullMarked;
