/**
 * The form in which the calls of the store SPI travel: a request and its answer are documents in
 * CBOR. A record is an object of its components by name, without the components that have the
 * default of their type (null, zero, false, empty). A value of a sealed interface is an object with
 * the name of its record alone. So a new record, component or constant of the SPI is carried
 * without further code, and both ends of a connection may differ as long as they do not use what
 * the other end lacks: a server refuses a request with an unknown name, and a client ignores
 * unknown names in answers.
 */
@NullMarked
package io.punctual.httpstore.wire;

import org.jspecify.annotations.NullMarked;
