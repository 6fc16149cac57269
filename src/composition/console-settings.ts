import packageFile from '../../package.json' with { type: 'json' }
import type { Config } from '../config/settings.ts'
import type { ConsoleSettings, SignInSettings } from '../console/console-dependencies.ts'
import { asyncBodyLimitBytes } from '../http/http-settings.ts'

/** What the console shows of the settings. */
export function consoleSettings({ models, requests, accounts, deferred }: Config, signIn: SignInSettings): ConsoleSettings {
  return {
    version: packageFile.version,
    signIn,
    mostTokens: accounts.tokens,
    mostBodyBytes: requests.bodyLimitBytes,
    mostDocumentBytes: accounts.documentBytes,
    requestLog: accounts.requestLog,
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
