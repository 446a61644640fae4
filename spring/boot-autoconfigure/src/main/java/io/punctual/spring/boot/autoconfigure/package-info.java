/**
 * The auto-configuration of Punctual: a client, its store from the first source that names one, the
 * listeners, the health and the endpoints of the Actuator.
 */
@NullMarked
package io.punctual.spring.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;
