/**
 * The auto-configuration of Punctual: a client, its store from the first source that names one, the
 * listeners, the health and the endpoints of the Actuator.
 *
 * <p>Each auto-configuration stands beside its properties, conditions and failure analyzers. The
 * classes of a feature begin with its name, so the package needs no parts with public types.
 */
@NullMarked
package io.punctual.spring.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;
