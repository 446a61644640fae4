package io.punctual.spring.boot.autoconfigure;

import io.punctual.Punctual;
import io.punctual.http.HttpApi;
import io.punctual.http.access.Authenticator;
import io.punctual.http.console.ConsoleService;
import io.punctual.http.servlet.ApiServlet;
import io.punctual.http.servlet.RoleAuthenticator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;

/** Serves the HTTP API and the console in the application, behind its own security. */
@AutoConfiguration(after = PunctualAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({HttpApi.class, ServletRegistrationBean.class})
@ConditionalOnProperty("punctual.http.path")
@EnableConfigurationProperties(PunctualHttpProperties.class)
public final class PunctualHttpAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  static Authenticator punctualAuthenticator() {
    return new RoleAuthenticator();
  }

  @Bean
  @ConditionalOnBean(Punctual.class)
  @ConditionalOnMissingBean
  static HttpApi punctualHttpApi(
      Punctual punctual, Authenticator authenticator, PunctualHttpProperties properties) {
    ConsoleService console = new ConsoleService();
    return HttpApi.builder(punctual, authenticator)
        .readOnly(properties.readOnly())
        .service("/", console)
        .service(ConsoleService.PATH, console)
        .build();
  }

  @Bean
  @ConditionalOnBean(HttpApi.class)
  static ServletRegistrationBean<ApiServlet> punctualApiServlet(
      HttpApi api, PunctualHttpProperties properties) {
    String mapping = WrongSettingException.check(() -> mapping(properties.path()));
    ServletRegistrationBean<ApiServlet> servlet =
        new ServletRegistrationBean<>(new ApiServlet(api), mapping);
    servlet.setName("punctualHttpApi");
    servlet.setAsyncSupported(true);
    return servlet;
  }

  private static String mapping(@Nullable String path) {
    if (path == null || !path.startsWith("/") || path.contains("*")) {
      throw new IllegalArgumentException(
          "punctual.http.path must be a path such as /punctual, but is '" + path + "'");
    }
    return (path.endsWith("/") ? path.substring(0, path.length() - 1) : path) + "/*";
  }
}
