/**
 * Payloads as JSON: {@link io.punctual.jackson.JacksonCodec} converts objects to UTF-8 JSON and
 * back with Jackson 3.
 */
@NullMarked
package io.punctual.jackson;

import org.jspecify.annotations.NullMarked;
