import type { Config } from '../config/config.ts'
import type { HttpSettings } from '../http/http-settings.ts'

/** The part of the settings that the public interface obeys. */
export function httpSettings({ listen, requests, accounts, deferred }: Config): HttpSettings {
  return {
    trustedProxies: listen.trustedProxies,
    asyncHeaders: requests.asyncHeaders,
    bodyLimitBytes: requests.bodyLimitBytes,
    runLimitMs: requests.runLimitMs,
    requestsPerMinute: requests.perMinute,
    accountPlaces: accounts.places,
    widePenalties: requests.widePenalties,
    privateWebhooks: deferred.privateWebhooks,
  }
}
