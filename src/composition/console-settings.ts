import packageFile from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import type { ConsoleSettings, SignInSettings } from '../console/console-dependencies.ts'
import { asyncBodyLimitBytes } from '../http/http-settings.ts'

const whole = new Intl.NumberFormat('en')

/** What the console shows of the settings. */
export function consoleSettings({ models, requests, accounts, deferred }: Config, signIn: SignInSettings): ConsoleSettings {
  return {
    version: packageFile.version,
    signIn,
    mostTokens: accounts.tokens,
    mostDocumentBytes: accounts.documentBytes,
    requestLog: accounts.requestLog,
    limits: [
      { name: 'Memory of all loaded models', value: megabytes(models.memoryBytes) },
      { name: 'Threads per engine', value: String(models.threads) },
      { name: 'Sequences at once per text model', value: String(models.textSlots) },
      { name: 'Requests waiting per text model', value: String(models.textQueue) },
      { name: 'Requests waiting per image model', value: String(models.imageQueue) },
      { name: 'Asynchronous requests waiting', value: whole.format(deferred.queue) },
      { name: 'Of every queue for one account', value: `${Math.round(accounts.share * 100)} %` },
      { name: 'Stored for one account', value: megabytes(accounts.storageBytes) },
      { name: 'Kept for one account besides requests', value: megabytes(accounts.documentBytes) },
      { name: 'Requests per minute', value: requests.perMinute === null ? 'no limit' : whole.format(requests.perMinute) },
      { name: 'Waiting for a model', value: seconds(requests.waitLimitMs) },
      { name: 'One run on a model', value: seconds(requests.runLimitMs) },
      { name: 'Body of a synchronous request', value: megabytes(requests.bodyLimitBytes) },
      { name: 'Body of an asynchronous request', value: megabytes(asyncBodyLimitBytes) },
    ],
  }
}

function megabytes(bytes: number): string {
  return `${whole.format(Math.round(bytes / 1e6))} MB`
}

function seconds(ms: number): string {
  return `${whole.format(ms / 1000)} s`
}
