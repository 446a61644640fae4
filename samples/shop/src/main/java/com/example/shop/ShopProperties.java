package com.example.shop;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** How long an order may be unpaid, and the address that receives paid orders. */
@ConfigurationProperties("shop")
public record ShopProperties(Duration paymentTime, Duration reminderTime, String webhookUrl) {}
