import { readFile } from 'node:fs/promises'
import type { HubAccess } from '../../catalog/hub/hub-access.ts'
import { searchHub } from '../../catalog/hub/search-hub.ts'
import { type PullDependencies, planPull, pullModel } from '../../catalog/pull-model.ts'
import type { Config } from '../../config/settings.ts'
import type { ModelDescriptor } from '../../core/model.ts'
import type { FoundOnHub, PullPlan } from '../../core/model-pull.ts'
import type { Abortable } from '../../core/waiting.ts'
import { isPrivateHost } from '../../http/headers/private-host.ts'
import { makeFolder } from '../../storage/sqlite/open-database.ts'
import { lookUpName } from '../../worker/look-up-name.ts'
import { dataLayout } from '../data-layout.ts'
import { createSystemClock } from '../system-clock.ts'
import { findWaysOut } from '../ways-out.ts'
import { openModels } from './open-models.ts'

/** Pulls a model into the data folder; refuses an id that is already installed. */
export async function pullToDataFolder(
  config: Config,
  source: string,
  {
    signal,
    offline = false,
    onPlan,
    onProgress,
  }: {
    readonly offline?: boolean
    readonly signal: AbortSignal
    readonly onPlan?: (plan: PullPlan) => void
    readonly onProgress: (bytesDone: number, bytesTotal: number) => void
  },
): Promise<ModelDescriptor> {
  const target = await openTarget(config, offline)
  return pullModel(target, source, { signal, onPlan, onProgress: ({ bytesDone, bytesTotal }) => onProgress(bytesDone, bytesTotal) })
}

/** Plans a pull without downloading. */
export async function planPullToDataFolder(
  config: Config,
  source: string,
  options: { readonly signal: AbortSignal; readonly offline?: boolean },
): Promise<PullPlan> {
  return planPull(await openTarget(config, options.offline ?? false), source, options)
}

/** Searches the hub for models. */
export async function searchModels(config: Config, words: string, options: Abortable): Promise<readonly FoundOnHub[]> {
  return searchHub(await openHub(config), words, options)
}

/** All models currently in a folder. */
export async function listInstalledModels(config: Config): Promise<readonly ModelDescriptor[]> {
  return (await openModels(config)).list()
}

async function openTarget(config: Config, offline: boolean): Promise<PullDependencies> {
  // The model folders may be readable for others; the rest of the data folder is private.
  await makeFolder(config.dataFolder)
  return { ...dataLayout(config.dataFolder), installed: await listInstalledModels(config), hub: { ...(await openHub(config)), offline } }
}

async function openHub(config: Config): Promise<HubAccess> {
  const { hub, pullHosts } = config.models
  const token = hub.token ?? (hub.tokenFile === null ? null : (await readFile(hub.tokenFile, 'utf8')).trim())
  const { findRoute, fetch } = findWaysOut(config)
  return {
    endpoint: hub.url,
    token,
    // A configured mirror is trusted.
    trustedHosts: [...pullHosts, new URL(hub.url).hostname],
    proxies: { findRoute, isPrivateHost, lookUp: lookUpHost },
    fetch,
    wait: createSystemClock().wait,
  }
}

/**
 * Resolves a host name; empty = no addresses, or aborted.
 *
 * @param options.servers Absent = the system's name servers.
 */
export function lookUpHost(name: string, options: Parameters<typeof lookUpName>[0]): Promise<readonly string[]> {
  if (options.signal.aborted) return Promise.resolve([])
  return new Promise((resolve) => {
    lookUpName(options)(name, { all: true }, (_error, found) => resolve(Array.isArray(found) ? found.map(({ address }) => address) : []))
  })
}
