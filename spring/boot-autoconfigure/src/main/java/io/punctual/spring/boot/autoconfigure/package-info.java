/**
 * The auto-configuration of Punctual: a client, its store, the locks, the listeners, the meters and
 * observations, and the health and the endpoints of the Actuator.
 *
 * <p>Each auto-configuration is in the same package as its properties, conditions and failure
 * analyzers, so most types are not public.
 */
@NullMarked
package io.punctual.spring.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;
