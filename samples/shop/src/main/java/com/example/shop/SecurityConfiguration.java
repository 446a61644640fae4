package com.example.shop;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Everybody may order; the console and its API are for the users of the shop, by their roles. */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {
  @Bean
  SecurityFilterChain shopSecurity(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(
            requests ->
                requests.requestMatchers("/punctual/**").authenticated().anyRequest().permitAll())
        .formLogin(Customizer.withDefaults())
        .httpBasic(Customizer.withDefaults())
        // The API itself refuses what pages of other sites send; orders have no session.
        .csrf(csrf -> csrf.ignoringRequestMatchers("/punctual/**", "/orders/**", "/partner/**"))
        .build();
  }
}
