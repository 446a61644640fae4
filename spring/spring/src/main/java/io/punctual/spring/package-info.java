/**
 * Punctual in applications of the Spring Framework: annotated listeners, the registry that starts
 * and stops them, and a template for producers.
 */
@NullMarked
package io.punctual.spring;

import org.jspecify.annotations.NullMarked;
