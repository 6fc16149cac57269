import type { Config } from '../config/config.ts'
import { mostConnections, mostDescriptors } from '../config/file-descriptors.ts'
import { asyncBodyLimitBytes, type HttpSettings } from '../http/http-settings.ts'

/** The part of the settings that the public interface obeys. */
export function httpSettings({ listen, requests, accounts, deferred, cluster, models }: Config): HttpSettings {
  return {
    probesOnly: cluster.role === 'worker',
    trustedProxies: listen.trustedProxies,
    connectionsInAll: mostConnections(mostDescriptors()),
    connectionsPerAddress: listen.connectionsPerAddress,
    asyncHeaders: requests.asyncHeaders,
    bodyLimitBytes: requests.bodyLimitBytes,
    bodyMemory: bodyMemory(requests),
    runLimitMs: requests.runLimitMs,
    requestsPerMinute: requests.perMinute,
    imagePixels: requests.imagePixels,
    accountPlaces: accounts.places,
    mostDocumentBytes: accounts.documentBytes,
    defaultModels: models.defaults,
    widePenalties: requests.widePenalties,
    privateWebhooks: deferred.privateWebhooks,
  }
}

/** Whatever the settings, a body of the largest size fits. */
function bodyMemory({ bodyMemoryBytes, bodyLimitBytes }: Config['requests']): HttpSettings['bodyMemory'] {
  const largest = Math.max(bodyLimitBytes, asyncBodyLimitBytes)
  return { totalBytes: Math.max(bodyMemoryBytes, largest), shareBytes: Math.max(Math.floor(bodyMemoryBytes / 4), largest) }
}
