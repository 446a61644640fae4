package io.punctual.webhook;

import java.io.IOException;

/** Nothing was connected to, because no address of the host is allowed. */
final class RefusedAddressException extends IOException {
  private static final long serialVersionUID = 1;

  RefusedAddressException(String host) {
    super(
        "No address of "
            + host
            + " is public; the server's 'allowAddresses' can allow addresses of your own network");
  }
}
