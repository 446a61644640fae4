package io.punctual.spring.boot.autoconfigure;

import io.lettuce.core.SslOptions;
import org.springframework.boot.ssl.SslBundle;

/** Turns SSL bundles into options of Lettuce. */
final class Bundles {
  private Bundles() {}

  static SslOptions options(SslBundle bundle) {
    SslOptions.Builder options = SslOptions.builder().jdkSslProvider();
    options.keyManager(bundle.getManagers().getKeyManagerFactory());
    options.trustManager(bundle.getManagers().getTrustManagerFactory());
    String[] ciphers = bundle.getOptions().getCiphers();
    if (ciphers != null) {
      options.cipherSuites(ciphers);
    }
    String[] protocols = bundle.getOptions().getEnabledProtocols();
    if (protocols != null) {
      options.protocols(protocols);
    }
    return options.build();
  }
}
