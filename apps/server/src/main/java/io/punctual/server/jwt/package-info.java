/** Callers that an OpenID Connect provider knows: signed tokens (JWT), and the provider's keys. */
@NullMarked
package io.punctual.server.jwt;

import org.jspecify.annotations.NullMarked;
