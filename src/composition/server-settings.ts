import packageFile from '../../package.json' with { type: 'json' }
import { maxConnections, maxDescriptors } from '../config/file-descriptors.ts'
import { programName } from '../config/process-environment.ts'
import type { Config } from '../config/settings.ts'
import type { ConsoleSettings, SignInSettings } from '../console/console-dependencies.ts'
import { asyncBodyLimitBytes, type HttpSettings } from '../http/http-settings.ts'
import { prefixOf } from '../http/path-prefix.ts'
import { type BodySettings, publishedBodies, widePenalties } from '../http/wire/chat/sampling-fields.ts'

/** Settings of the public interface. */
export function httpSettings(config: Config): HttpSettings {
  const { addresses, requests, cluster } = config
  return {
    ...config,
    ...bodySettings(requests),
    probesOnly: cluster.role === 'worker',
    pathPrefixes: pathPrefixes(addresses),
    connectionsInAll: maxConnections(maxDescriptors()),
    bodyMemory: bodyMemory(requests),
  }
}

/** Settings for bodies of text requests. */
export function bodySettings(requests: Config['requests']): BodySettings {
  return requests.widePenalties ? { penalties: widePenalties } : publishedBodies
}

/** Paths of the public URLs, that of `public-url` first. */
function pathPrefixes({ publicUrl, imageUrl, asyncUrl, textUrl }: Config['addresses']): readonly string[] {
  const [first = '', ...others] = [publicUrl, imageUrl, asyncUrl, textUrl].map((address) => (address === null ? '' : prefixOf(address)))
  return [first, ...new Set(others)].filter((prefix, place) => place === 0 || prefix !== '')
}

/** At least one body of maximum size always fits. */
function bodyMemory({ bodyMemoryBytes, bodyLimitBytes }: Config['requests']): HttpSettings['bodyMemory'] {
  const largest = Math.max(bodyLimitBytes, asyncBodyLimitBytes)
  return { totalBytes: Math.max(bodyMemoryBytes, largest), shareBytes: Math.max(Math.floor(bodyMemoryBytes / 4), largest) }
}

/** Settings shown in the console. */
export function consoleSettings({ models, requests, accounts, deferred, listen }: Config, signIn: SignInSettings): ConsoleSettings {
  return {
    version: packageFile.version,
    command: programName,
    signIn,
    mostTokens: accounts.tokens,
    currency: accounts.currency,
    mostBodyBytes: Math.min(requests.bodyLimitBytes, asyncBodyLimitBytes),
    maxDocumentBytes: accounts.documentBytes,
    requestLog: accounts.requestLog,
    openOnLoopback: listen.openOnLoopback,
    limits: [
      { name: 'modelMemoryBytes', most: models.memoryBytes },
      { name: 'threadsPerEngine', most: models.threads },
      { name: 'sequencesPerTextModel', most: models.textSlots },
      { name: 'waitingPerTextModel', most: models.textQueue },
      { name: 'waitingPerImageModel', most: models.imageQueue },
      { name: 'waitingAsynchronous', most: deferred.queue },
      { name: 'shareOfQueue', most: accounts.share },
      { name: 'storedBytesPerAccount', most: accounts.storageBytes },
      { name: 'keptBytesPerAccount', most: accounts.documentBytes },
      { name: 'requestsPerMinute', most: requests.perMinute },
      { name: 'waitForModelMs', most: requests.waitLimitMs },
      { name: 'runMs', most: requests.runLimitMs },
      { name: 'synchronousBodyBytes', most: requests.bodyLimitBytes },
      { name: 'asynchronousBodyBytes', most: asyncBodyLimitBytes },
    ],
  }
}
